/** A server with allocations from the test, and games there until the test ends. */

import type { Game } from './games.ts';
import { panelServer } from './panel/attributes.ts';
import { resetPanel } from './server-owner.ts';
import type { startTestService } from './service.ts';
import { useOwner } from './use-key.ts';

export interface Allocation {
  ip?: string;
  alias?: string | null;
  port: number;
}

export const identifier = 'a1b2c3d4';

export const serverAt = (allocations: readonly Allocation[], overrides: Record<string, unknown> = {}) =>
  panelServer({
    identifier,
    ...overrides,
    allocation: 1,
    relationships: {
      allocations: {
        object: 'list',
        data: allocations.map(({ ip = '127.0.0.1', alias = null, port }, index) => ({
          object: 'allocation',
          attributes: { id: index + 1, ip, alias, port, notes: null, assigned: true },
        })),
      },
    },
  });

export function useServerWithGames(
  config: NonNullable<Parameters<typeof startTestService>[0]>['config'] = {},
) {
  const service = useOwner({ rateLimitPerMinute: 10_000, config });
  const games: Game[] = [];
  afterEach(async () => {
    for (const game of games.splice(0)) await game.stop();
  });

  async function play<Started extends Game>(starting: Promise<Started>): Promise<Started> {
    const game = await starting;
    games.push(game);
    return game;
  }
  const serve = (...allocations: Allocation[]) => resetPanel(service, [serverAt(allocations)]);
  async function players() {
    const path = `/servers/${identifier}/players`;
    return (await service.call('GET', path, { key: service.key })).body.players;
  }
  async function playersAt(game: Game) {
    serve(game);
    return players();
  }
  return { service, play, serve, players, playersAt };
}
