/** Servers on the account page. The list has every detail of each server; the other operations are the API's own. */
import { z } from 'zod';
import { NoInput } from '../schemas/common.ts';
import { listOwnedServers } from '../servers/owned-server.ts';
import { presentServerDetail, ServerDetailResult } from '../servers/server-schema.ts';
import { serversRouter } from '../servers/servers.ts';
import { router, sessionProcedure } from '../trpc.ts';

const { states, resources, players, power, backups, schedules, console, files } = serversRouter;

export const accountServersRouter = router({
  list: sessionProcedure
    .meta({ slot: 'panel' })
    .input(NoInput)
    .output(z.object({ servers: z.array(ServerDetailResult.shape.server) }))
    .query(async ({ ctx }) => {
      const servers = await listOwnedServers(ctx, 'list');
      return { servers: servers.map((server) => presentServerDetail(server).server) };
    }),
  states,
  resources,
  players,
  power,
  backups,
  schedules,
  console,
  files,
});
