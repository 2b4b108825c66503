/** The states of an owner's servers, a page at a time, as the API and the account page show them. */
import type { z } from 'zod';
import { badRequest } from './errors.ts';
import { listOwnedServers, type ServerContext } from './owned-server.ts';
import type { PanelServer } from './panel-port.ts';
import { presentStates, type StatesQuery } from './schemas/server-resources.ts';

/** @throws bad_request for an `after` that is none of the servers */
export async function listStates(
  ctx: ServerContext,
  { limit, after, figures }: z.output<typeof StatesQuery>,
) {
  const owned = await listOwnedServers(ctx, 'detail');
  const servers = pageAfter(owned, after).slice(0, limit);
  const states = await ctx.panel.getStates(servers, ctx.requestId);
  return presentStates({ servers, states, total: owned.length, hasFigures: figures });
}

function pageAfter(servers: readonly PanelServer[], identifier: string | undefined) {
  if (identifier === undefined) return servers;
  const index = servers.findIndex((server) => server.identifier === identifier);
  if (index === -1) throw badRequest('after must be the identifier of one of your servers');
  return servers.slice(index + 1);
}
