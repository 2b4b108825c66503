/**
 * Servers on the account page. The list has every detail of each server, and its game; the other operations are the
 * API's own.
 */
import { z } from 'zod';
import { samplesMax } from '../../models/bounds.ts';
import type { OwnedServer } from '../panel-port.ts';
import { NoInput } from '../schemas/common.ts';
import { createPick } from '../schemas/pick.ts';
import { getOwnedServer, listOwnedServers } from '../servers/owned-server.ts';
import { ServerState } from '../servers/resources-schema.ts';
import { presentServerDetail, ServerDetailResult, ServerPath } from '../servers/server-schema.ts';
import { serversRouter } from '../servers/servers.ts';
import { router, sessionProcedure } from '../trpc.ts';
import { findGame, ServerGame } from './server-game.ts';

const { states, resources, players, power, backups, schedules, console, files, startup, reinstall } =
  serversRouter;

const amount = z.number().nullable();

const Sample = z.strictObject({
  /** Not a time: the clock of the browser may be wrong. */
  age_ms: z.int(),
  state: ServerState,
  cpu_percent: amount,
  memory_bytes: amount,
  players_online: z.int().nullable(),
});

const pickSample = createPick(Sample.omit({ age_ms: true }));

export const accountServersRouter = router({
  list: sessionProcedure
    .meta({ slot: 'panel' })
    .input(NoInput)
    .output(z.object({ servers: z.array(ServerDetailResult.shape.server.extend({ game: ServerGame })) }))
    .query(async ({ ctx }) => {
      const servers = await listOwnedServers(ctx, 'list');
      const games = await ctx.models.games.listActive();
      const present = (server: OwnedServer) => ({
        ...presentServerDetail(server).server,
        game: findGame(server, games),
      });
      return { servers: servers.map(present) };
    }),
  /** The server's last hour, as far as this process has read it. It makes no call about the server. */
  samples: sessionProcedure
    .meta({ slot: 'panel' })
    .input(ServerPath)
    .output(z.strictObject({ samples: z.array(Sample).max(samplesMax.ofServer) }))
    .query(async ({ ctx, input: { server_identifier } }) => {
      const server = await getOwnedServer(ctx, server_identifier, 'ownership');
      const now = ctx.clock();
      return {
        samples: ctx.samples
          .list(server)
          .map(({ at, ...sample }) => ({ age_ms: Math.max(0, now - at), ...pickSample(sample) })),
      };
    }),
  states,
  resources,
  players,
  power,
  backups,
  schedules,
  console,
  files,
  startup,
  reinstall,
});
