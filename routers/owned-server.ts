/** Finds servers of the caller: ownership is decided here, before any call about one server. */

import type { PanelUser } from '../models/user.ts';
import type { Context, SessionContext } from './context.ts';
import { notFound } from './errors.ts';
import type { ListPurpose, PanelServer } from './panel-port.ts';

export type ServerContext = Pick<Context, 'models' | 'panel' | 'requestId'> & {
  /** `servers`: those that its key is restricted to. */
  caller: { userId: number; servers?: readonly string[] | null };
};

/** The account page decides ownership as for a key of the user, who is the signed-in one unless stated. */
export const asOwner = (
  { models, panel, requestId, session }: SessionContext,
  userId = session.user._id,
): ServerContext => ({ models, panel, requestId, caller: { userId } });

export async function listOwnedServers(
  { models, panel, requestId, caller }: ServerContext,
  purpose: ListPurpose,
): Promise<PanelServer[]> {
  const owner = await models.users.find(caller.userId);
  const panelUserId = owner && (await findPanelUserId({ models, panel, requestId }, owner));
  if (panelUserId === null) return [];
  const servers = await panel.listServers(panelUserId, requestId, purpose);
  return caller.servers ? servers.filter(({ identifier }) => caller.servers?.includes(identifier)) : servers;
}

/** @throws notFound for a server that does not exist or belongs to another user */
export async function getOwnedServer(
  ctx: ServerContext,
  identifier: string,
  purpose: ListPurpose,
): Promise<PanelServer> {
  const owned = await listOwnedServers(ctx, purpose);
  const server = owned.find((candidate) => candidate.identifier === identifier);
  if (!server) throw notFound('Server');
  return server;
}

interface PanelLookup {
  models: Pick<Context['models'], 'users'>;
  panel: Pick<Context['panel'], 'findUserId'>;
  requestId: string;
}

/**
 * The stored id, or one that is found at the panel now and stored, unless another user has it. Only users with an external id
 * are looked up.
 * @throws upstreamFailed when the panel fails
 */
export async function findPanelUserId(
  { models, panel, requestId }: PanelLookup,
  { _id, externalId, email, panelUserId }: PanelUser,
): Promise<number | null> {
  if (panelUserId !== null || externalId == null) return panelUserId;
  const found = await panel.findUserId({ externalId, email }, requestId);
  return found === null ? null : models.users.linkPanelUser(_id, found);
}
