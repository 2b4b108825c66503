/** Finds servers of the caller: ownership is decided here, before any call about one server. */
import type { Context } from './context.ts';
import { notFound } from './errors.ts';
import type { ListPurpose, PanelServer } from './panel-port.ts';
import { findPanelUserId } from './panel-user.ts';

type ServerContext = Pick<Context, 'models' | 'panel' | 'requestId'> & { caller: { userId: number } };

export async function listOwnedServers(
  { models, panel, requestId, caller }: ServerContext,
  purpose: ListPurpose,
): Promise<PanelServer[]> {
  const owner = await models.users.find(caller.userId);
  const panelUserId = owner && (await findPanelUserId({ models, panel, requestId }, owner));
  return panelUserId === null ? [] : panel.listServers(panelUserId, requestId, purpose);
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
