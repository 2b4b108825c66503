/** The account page's procedures for the signed-in user's servers, by the same functions as the API's. */

import { z } from 'zod';
import { sendPower } from '../events.ts';
import { asOwner, getOwnedServer, listOwnedServers } from '../owned-server.ts';
import { Backup, BackupCreateRequest, BackupSummary, presentBackup } from '../schemas/backup.ts';
import { NoInput } from '../schemas/common.ts';
import {
  PowerRequest,
  PowerResult,
  presentPower,
  presentServerDetail,
  ServerDetailResult,
  ServerPath,
} from '../schemas/server.ts';
import { presentResources, ResourcesResult, StatesQuery, StatesResult } from '../schemas/server-resources.ts';
import { listStates } from '../server-states.ts';
import { router, sessionProcedure } from '../trpc.ts';

/** Begins a procedure that may wait for the panel. */
const serverProcedure = sessionProcedure.meta({ slot: 'panel' });

export const accountServersRouter = router({
  list: serverProcedure
    .input(NoInput)
    .output(z.object({ servers: z.array(ServerDetailResult.shape.server) }))
    .query(async ({ ctx }) => {
      const servers = await listOwnedServers(asOwner(ctx), 'list');
      return { servers: servers.map((server) => presentServerDetail(server).server) };
    }),

  states: serverProcedure
    .input(StatesQuery)
    .output(StatesResult)
    .query(({ ctx, input }) => listStates(asOwner(ctx), input)),

  resources: serverProcedure
    .input(ServerPath)
    .output(ResourcesResult)
    .query(async ({ ctx, input }) => {
      const server = await getOwnedServer(asOwner(ctx), input.server_identifier, 'ownership');
      return presentResources(await ctx.panel.getResources(server, ctx.requestId));
    }),

  power: serverProcedure
    .input(PowerRequest)
    .output(PowerResult)
    .mutation(async ({ ctx, input: { server_identifier, signal } }) => {
      const server = await getOwnedServer(asOwner(ctx), server_identifier, 'action');
      const { identifier } = server;
      await sendPower(ctx, { userId: ctx.caller.userId, identifier, signal }, () =>
        ctx.panel.sendPower(server, signal, ctx.requestId),
      );
      return presentPower(identifier, signal);
    }),

  backups: serverProcedure
    .input(ServerPath)
    .output(z.object({ backups: z.array(Backup), summary: BackupSummary }))
    .query(async ({ ctx, input }) => {
      const server = await getOwnedServer(asOwner(ctx), input.server_identifier, 'ownership');
      const { backups, total } = await ctx.panel.listBackups(server, ctx.requestId);
      return { backups: backups.map(presentBackup), summary: { total, limit: server.featureLimits.backups } };
    }),

  createBackup: serverProcedure
    .input(BackupCreateRequest)
    .output(z.object({ backup: Backup }))
    .mutation(async ({ ctx, input: { server_identifier, name } }) => {
      const server = await getOwnedServer(asOwner(ctx), server_identifier, 'action');
      return { backup: presentBackup(await ctx.panel.createBackup(server, name, ctx.requestId)) };
    }),
});
