/** Backups of the key owner's game servers: list, create, download. */
import { z } from 'zod';
import { notFound } from './errors.ts';
import { getOwnedServer } from './owned-server.ts';
import {
  Backup,
  BackupCreateRequest,
  BackupLink,
  BackupPath,
  BackupSummary,
  presentBackup,
} from './schemas/backup.ts';
import { ServerPath, serverRefusals } from './schemas/server.ts';
import { endpoint, readHints, router, writeHints } from './trpc.ts';

export const backupsRouter = router({
  list: endpoint({
    scope: 'read:account',
    status: 200,
    slot: 'panel',
    openapi: {
      method: 'GET',
      path: '/servers/{server_identifier}/backups',
      tags: ['Servers'],
      summary: 'List the backups of a server',
      description:
        'Lists the backups of a server, newest first. The data is at most 20 seconds old. completed_at is null while a backup is in progress.',
    },
    refusals: serverRefusals,
    tool: { name: 'list_server_backups', title: "List a server's backups", ...readHints },
  })
    .input(ServerPath)
    .output(z.object({ backups: z.array(Backup), summary: BackupSummary }))
    .query(async ({ ctx, input }) => {
      const server = await getOwnedServer(ctx, input.server_identifier, 'ownership');
      const { backups, total } = await ctx.panel.listBackups(server, ctx.requestId);
      return { backups: backups.map(presentBackup), summary: { total, limit: server.featureLimits.backups } };
    }),

  create: endpoint({
    scope: 'write:backups',
    status: 201,
    slot: 'panel',
    openapi: {
      method: 'POST',
      path: '/servers/{server_identifier}/backups',
      tags: ['Servers'],
      summary: 'Back up a server',
      description:
        'Starts a backup and responds immediately. It is done when the list of backups shows its completed_at; wait for that before a risky restart. A 429 can also mean that the panel limits how often a server is backed up.',
    },
    refusals: {
      ...serverRefusals,
      bad_request: 'The server has reached its backup limit, or the name is not valid.',
    },
    tool: {
      name: 'create_server_backup',
      title: 'Back up a server',
      ...writeHints,
      hint: 'Before set_server_power, call list_server_backups until this backup is completed and successful.',
    },
  })
    .input(BackupCreateRequest)
    .output(z.object({ backup: Backup }))
    .mutation(async ({ ctx, input: { server_identifier, name } }) => {
      const server = await getOwnedServer(ctx, server_identifier, 'action');
      return { backup: presentBackup(await ctx.panel.createBackup(server, name, ctx.requestId)) };
    }),

  download: endpoint({
    scope: 'read:backups',
    status: 200,
    slot: 'panel',
    openapi: {
      method: 'GET',
      path: '/servers/{server_identifier}/backups/{backup_uuid}/download',
      tags: ['Servers'],
      summary: 'Get a download link for a backup',
      description:
        'Returns a signed link to a completed backup, which is valid for a few minutes and works once: for another download, get another link. A backup contains every secret on the server: keep the link private.',
      operationId: 'getBackupDownloadLink',
    },
    refusals: {
      ...serverRefusals,
      not_found: {
        when: 'There is no such server or completed backup, or it belongs to another user.',
        message: serverRefusals.not_found.message,
      },
    },
  })
    .input(BackupPath)
    .output(BackupLink)
    .query(async ({ ctx, input: { server_identifier, backup_uuid } }) => {
      const server = await getOwnedServer(ctx, server_identifier, 'action');
      const { backups } = await ctx.panel.listBackups(server, ctx.requestId);
      const backup = backups.find(({ uuid }) => uuid === backup_uuid);
      if (!backup?.completedAt || !backup.isSuccessful) throw notFound('Completed backup');
      const { url, expiresAt } = await ctx.panel.getBackupLink(server, backup.uuid, ctx.requestId);
      return { url, expires_at: new Date(expiresAt).toISOString() };
    }),
});
