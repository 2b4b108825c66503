/** Who plays on a caller's servers: their games are asked while they run. */
import { getOwnedServer, type ServerContext } from './owned-server.ts';
import type { PanelResources, PanelServer } from './panel-port.ts';
import type { PlayersNow, PlayersPort } from './players-port.ts';

type PlayersContext = ServerContext & { players: PlayersPort };

export async function getPlayers(ctx: PlayersContext, identifier: string): Promise<PlayersNow> {
  const server = await getOwnedServer(ctx, identifier, 'detail');
  const resources = await ctx.panel.getResources(server, ctx.requestId);
  return resources.state === 'running' ? ctx.players.get(server) : unasked(resources);
}

const unasked = ({ state, reason, measuredAt }: PanelResources): PlayersNow => ({
  online: null,
  max: null,
  names: null,
  reason: reason ?? `The server is not running; its state is ${state}.`,
  measuredAt,
});

/** Of several servers, in their order: null where nobody knows within the time. */
export const getPlayersOfMany = (
  { players }: Pick<PlayersContext, 'players'>,
  servers: readonly PanelServer[],
  { states, waitMs }: { states: readonly PanelResources[]; waitMs: number },
): Promise<(PlayersNow | null)[]> =>
  Promise.all(
    servers.map(async (server, index) =>
      states[index]?.state === 'running' ? players.get(server, waitMs) : null,
    ),
  );
