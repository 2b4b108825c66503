/** Finds the caller's servers. Ownership is decided here, before any call about one server. */

import type { PanelLookupUser } from '../../models/user.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { ListPurpose, OwnedServer, PanelServerList, PanelUserQuery } from '../panel-port.ts';

export type ServerContext = Pick<Context, 'models' | 'panel' | 'requestId'> & {
  /** `servers`: the identifiers that the key is restricted to. */
  caller: { userId: number; servers?: readonly string[] | null };
};

export async function listOwnedServers(
  { models, panel, requestId, caller }: ServerContext,
  purpose: ListPurpose,
): Promise<OwnedServer[]> {
  const owner = await models.users.find(caller.userId);
  const servers = owner ? await listServersOf({ models, panel, requestId }, owner, purpose) : [];
  return caller.servers ? servers.filter(({ identifier }) => caller.servers?.includes(identifier)) : servers;
}

/** @throws notFound if the server does not exist or belongs to another user */
export async function getOwnedServer(
  ctx: ServerContext,
  identifierOrUuid: string,
  purpose: ListPurpose,
): Promise<OwnedServer> {
  const owned = await listOwnedServers(ctx, purpose);
  const server = owned.find(
    ({ identifier, uuid }) => identifier === identifierOrUuid || uuid === identifierOrUuid,
  );
  if (server) return server;
  // The cached list may be older than the server, so a newer list is read.
  if (purpose === 'ownership') return getOwnedServer(ctx, identifierOrUuid, 'detail');
  throw notFound('Server');
}

interface PanelLookup {
  models: Pick<Context['models'], 'users'>;
  panel: Pick<Context['panel'], 'findUserId' | 'listServers'>;
  requestId: string;
}

/** For any user, not only the caller. Repeats the look-up if the panel user found earlier is gone or now someone else's. */
export async function listServersOf(
  deps: PanelLookup,
  user: PanelLookupUser,
  purpose: ListPurpose,
): Promise<OwnedServer[]> {
  const panelUserId = await findPanelUserId(deps, user);
  if (panelUserId === null) return [];
  const list = await deps.panel.listServers(panelUserId, deps.requestId, purpose);
  const { panelUserFoundBy: foundBy } = user;
  if (!foundBy || isSame(list.owner, foundBy)) return ownedIn(list);
  const found = await lookUpPanelUserId(deps, user);
  if (found === null || found === panelUserId) return found === null ? [] : ownedIn(list);
  return ownedIn(await deps.panel.listServers(found, deps.requestId, purpose));
}

/** The only place that makes an `OwnedServer`: the servers come from their owner's list. */
const ownedIn = ({ servers }: PanelServerList) => servers as OwnedServer[];

const isSame = (owner: PanelServerList['owner'], { externalId, email }: PanelUserQuery) =>
  owner !== null && (owner.externalId === externalId || owner.email === email);

/** Looks up only users with an external id and no stored panel id. Stores the result unless another user has it. */
export const findPanelUserId = async (deps: PanelLookup, user: PanelLookupUser) =>
  user.panelUserId ?? lookUpPanelUserId(deps, user);

async function lookUpPanelUserId(
  { models, panel, requestId }: PanelLookup,
  user: PanelLookupUser,
): Promise<number | null> {
  const { externalId, email, panelUserId } = user;
  if (externalId == null) return panelUserId;
  const found = await panel.findUserId({ externalId, email }, requestId);
  return found === null && panelUserId === null ? null : models.users.linkPanelUser(user, found);
}
