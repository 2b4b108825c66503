/** Backups of the key owner's game servers: list, create, wait for one, download, restore, delete. */
import { z } from 'zod';
import { notFound } from '../errors.ts';
import { withFileLease } from '../files/leases.ts';
import { Deleted } from '../schemas/common.ts';
import { endpoint, router } from '../trpc.ts';
import {
  Backup,
  BackupCreateRequest,
  BackupLink,
  BackupPath,
  BackupQuery,
  BackupSummary,
  presentBackup,
  RestoreRequest,
  RestoreResult,
} from './backup-schema.ts';
import { getOwnedServer } from './owned-server.ts';
import { ServerPath, serverRefusals } from './server-schema.ts';

const backupRefusals = { ...serverRefusals, missing: ['Server', 'Backup'] };

export const backupsRouter = router({
  list: endpoint({
    route: 'GET /servers/{server_identifier}/backups',
    scope: 'read:account',
    slot: 'panel',
    tag: 'Servers',
    summary: 'List the backups of a server',
    description:
      'Lists the backups of a server, newest first. The data is at most 20 seconds old. completed_at is null while a backup is in progress.',
    refusals: serverRefusals,
    tool: {
      name: 'list_server_backups',
      description: 'Lists the backups of a game server, newest first, and how many it may have.',
    },
  })
    .input(ServerPath)
    .output(z.object({ backups: z.array(Backup).describe('Newest first.'), summary: BackupSummary }))
    .query(async ({ ctx, input }) => {
      const server = await getOwnedServer(ctx, input.server_identifier, 'ownership');
      const { backups, total } = await ctx.panel.listBackups(server, ctx.requestId);
      return { backups: backups.map(presentBackup), summary: { total, limit: server.featureLimits.backups } };
    }),

  create: endpoint({
    route: 'POST /servers/{server_identifier}/backups',
    undo: 'call',
    scope: 'write:backups',
    status: 201,
    slot: 'panel',
    tag: 'Servers',
    summary: 'Back up a server',
    description:
      'Starts a backup and responds immediately; read the backup with wait to know when it is completed, before a risky restart. Deleting the backup undoes it. A 429 can also mean that the panel limits how often a server is backed up.',
    refusals: {
      ...serverRefusals,
      bad_request: 'The server has reached its backup limit, until one is deleted; or the name is not valid.',
    },
    tool: {
      name: 'create_server_backup',
      description:
        'Backs up a game server. Call get_server_backup with wait 25 until it is completed and successful. delete_server_backup undoes it and frees a slot.',
    },
  })
    .input(BackupCreateRequest)
    .output(z.object({ backup: Backup }))
    .mutation(async ({ ctx, input: { server_identifier, name } }) => {
      const server = await getOwnedServer(ctx, server_identifier, 'action');
      const creation = { name, earlierTryAt: ctx.earlierTryAt ?? null };
      return { backup: presentBackup(await ctx.panel.createBackup(server, creation, ctx.requestId)) };
    }),

  get: endpoint({
    route: 'GET /servers/{server_identifier}/backups/{backup_uuid}',
    scope: 'read:account',
    slot: 'panel',
    waitField: 'wait',
    tag: 'Servers',
    summary: 'Get a backup of a server',
    description:
      'Shows a backup, which is done when completed_at is set, successful or not. With wait it responds as soon as that is so, or with the backup as it then is when the seconds are over. Without wait the data is at most 20 seconds old, and 3 while a backup is in progress.',
    refusals: backupRefusals,
    tool: {
      name: 'get_server_backup',
      description:
        'Shows a backup; with wait 25 it answers when completed. After create_server_backup call it until then; go on only if successful.',
    },
  })
    .input(BackupQuery)
    .output(z.object({ backup: Backup }))
    .query(async ({ ctx, input: { server_identifier, backup_uuid, wait } }) => {
      const until = wait > 0 ? ctx.endOfWait(wait) : undefined;
      const server = await getOwnedServer(ctx, server_identifier, 'ownership');
      const { requestId } = ctx;
      return { backup: presentBackup(await ctx.panel.getBackup(server, backup_uuid, { requestId, until })) };
    }),

  delete: endpoint({
    route: 'DELETE /servers/{server_identifier}/backups/{backup_uuid}',
    undo: 'none',
    scope: 'manage:backups',
    slot: 'panel',
    tag: 'Servers',
    summary: 'Delete a backup of a server',
    description:
      'Deletes a backup, including one that failed or is in progress. A locked backup is refused: unlock it in the panel first.',
    refusals: { ...backupRefusals, bad_request: 'The backup is locked.' },
    tool: {
      name: 'delete_server_backup',
      description:
        'Deletes a backup; nothing brings it back. Ask the user which of list_server_backups may go, unless told.',
    },
  })
    .input(BackupPath)
    .output(Deleted)
    .mutation(async ({ ctx, input: { server_identifier, backup_uuid } }) => {
      const server = await getOwnedServer(ctx, server_identifier, 'action');
      const { requestId, earlierTryAt } = ctx;
      await ctx.panel.deleteBackup(server, backup_uuid, {
        requestId,
        mayHaveHappened: Boolean(earlierTryAt),
      });
      return { deleted: true };
    }),

  restore: endpoint({
    route: 'POST /servers/{server_identifier}/backups/{backup_uuid}/restore',
    undo: 'backup',
    scope: 'manage:backups',
    status: 202,
    slot: 'panel',
    tag: 'Servers',
    summary: 'Restore a backup of a server',
    description:
      "Writes the files of a completed backup over those of a stopped server; with delete_files, instead of all of them, once its archive is seen to be there. 202 means that the panel accepted it: it is over when the server's status is null again, and until then the server can be neither started nor backed up.",
    refusals: {
      ...backupRefusals,
      bad_request:
        'The backup is not completed or has failed, or its archive is gone and delete_files is true; or the server is not stopped, or is being installed, restored or moved.',
    },
    tool: {
      name: 'restore_server_backup',
      description:
        'Writes the files of a backup over those of a stopped game server; only restoring one made just before undoes it. First stop it with set_server_power until get_server_resources shows offline; start it when get_server shows status null.',
    },
  })
    .input(RestoreRequest)
    .output(RestoreResult)
    .mutation(async ({ ctx, input: { server_identifier, backup_uuid: uuid, delete_files } }) => {
      const server = await getOwnedServer(ctx, server_identifier, 'action');
      // An earlier try may have begun it: another is refused by then.
      if (ctx.earlierTryAt && server.status === 'restoring_backup')
        return { server: server.identifier, backup: uuid, status: 'accepted' };
      const runExclusively = (begin: () => Promise<void>) =>
        withFileLease(ctx, { server: server.uuid, path: null }, begin);
      await ctx.panel.restoreBackup(
        server,
        { uuid, deletesFiles: delete_files, runExclusively },
        ctx.requestId,
      );
      return { server: server.identifier, backup: uuid, status: 'accepted' };
    }),

  download: endpoint({
    route: 'GET /servers/{server_identifier}/backups/{backup_uuid}/download',
    scope: 'read:backups',
    slot: 'panel',
    tag: 'Servers',
    summary: 'Get a download link for a backup',
    description:
      'Returns a signed link to a completed backup, which is valid for a few minutes and works once: for another download, get another link. A backup contains every secret on the server: keep the link private.',
    operationId: 'getBackupDownloadLink',
    refusals: { ...serverRefusals, missing: ['Server', 'Completed backup'] },
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
