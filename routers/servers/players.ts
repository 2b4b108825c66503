/** The players on a caller's servers. Only the games of running servers are queried. */
import type { Context } from '../context.ts';
import type { OwnedServer, PanelResources } from '../panel-port.ts';
import type { PlayersNow } from '../players-port.ts';
import { getOwnedServer, type ServerContext } from './owned-server.ts';

type PlayersContext = ServerContext & Pick<Context, 'players' | 'clock'>;

export async function getPlayers(ctx: PlayersContext, identifier: string): Promise<PlayersNow> {
  const server = await getOwnedServer(ctx, identifier, 'detail');
  const { state, reason } = await ctx.panel.getResources(server, ctx.requestId);
  if (state === 'running') return ctx.players.get(server);
  const why = reason ?? `The server is not running; its state is ${state}.`;
  return { online: null, max: null, names: null, reason: why, measuredAt: ctx.clock() };
}

/** In the order of `servers`; null for a server that is not running, or whose game does not answer in time. */
export const getPlayersOfMany = (
  { players }: Pick<PlayersContext, 'players'>,
  servers: readonly OwnedServer[],
  { states, waitMs }: { states: readonly PanelResources[]; waitMs: number },
): Promise<(PlayersNow | null)[]> =>
  Promise.all(
    servers.map(async (server, index) =>
      states[index]?.state === 'running' ? players.get(server, waitMs) : null,
    ),
  );
