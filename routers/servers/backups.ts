/** Backups of the key owner's game servers. */
import { z } from 'zod';
import { badRequest, notFound } from '../errors.ts';
import { withFileLease } from '../files/leases.ts';
import type { RunExclusively } from '../panel-port.ts';
import { Deleted } from '../schemas/common.ts';
import { maskSecrets } from '../support/mask-secrets.ts';
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
    links: { getServerBackup: 'backups.0.uuid' },
    summary: 'List the backups of a server',
    description:
      'Lists the backups of a server, newest first, and how many it may have. Use it to choose a backup to download, restore or delete, or to see whether there is room for another. The data is at most 20 seconds old. completed_at is null while a backup is in progress.',
    refusals: serverRefusals,
    tool: {
      name: 'list_server_backups',
      description: 'Lists the backups of a game server, newest first, and its backup limit.',
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
    links: { getServerBackup: 'backup.uuid' },
    summary: 'Back up a server',
    description:
      "Creates a backup of a server's files, and responds while it is still in progress. Use it before a risky change, such as an update; then get the backup with wait until it is completed. Deleting the backup undoes it. A 429 can also mean that the panel limits how often a server is backed up.",
    refusals: {
      ...serverRefusals,
      bad_request: {
        when: 'The server has reached its backup limit: delete a backup first. Or the name is not valid.',
        example: badRequest(
          'The server already has all the backups it is allowed, so the panel refused the backup',
        ),
      },
    },
    tool: {
      name: 'create_server_backup',
      description:
        'Backs up a game server; delete_server_backup undoes it and frees a slot. Call get_server_backup until it is completed.',
    },
  })
    .input(BackupCreateRequest)
    .output(z.object({ backup: Backup }))
    .mutation(async ({ ctx, input: { server_identifier, name } }) => {
      const server = await getOwnedServer(ctx, server_identifier, 'action');
      if (name) ctx.outcome.detail = maskSecrets(name);
      const creation = { name, earlierTryAt: ctx.earlierTryAt ?? null };
      return { backup: presentBackup(await ctx.panel.createBackup(server, creation, ctx.requestId)) };
    }),

  get: endpoint({
    route: 'GET /servers/{server_identifier}/backups/{backup_uuid}',
    scope: 'read:account',
    slot: 'panel',
    waitField: 'wait',
    tag: 'Servers',
    links: { getBackupDownloadLink: 'backup.uuid' },
    summary: 'Get a backup of a server',
    description:
      'Shows a backup, in progress or completed. Use it after you create a backup to learn when it has ended: completed_at is then set, and is_successful says whether it can be restored. With wait, the call responds when the backup has ended, or after that many seconds with its current state. Without wait, the data is at most 20 seconds old, or 3 while a backup is in progress.',
    refusals: backupRefusals,
    tool: {
      name: 'get_server_backup',
      description:
        'Shows a backup; with wait 25, once it is completed or after 25 seconds. After create_server_backup, repeat it until completed_at is set, and continue only if is_successful.',
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
      'Deletes a backup, even one that failed or is in progress. Use it to make room for another when the server is at its backup limit. A locked backup cannot be deleted: unlock it in the panel first.',
    refusals: {
      ...backupRefusals,
      bad_request: {
        when: 'The backup is locked.',
        example: badRequest(
          'The backup is locked, so the panel refused the deletion; a retry does not help until that has changed',
        ),
      },
    },
    tool: {
      name: 'delete_server_backup',
      description:
        'Deletes a backup; this cannot be undone. Unless the user chose one, ask which of list_server_backups to delete.',
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
    needsConfirmation: true,
    scope: 'manage:backups',
    status: 202,
    slot: 'panel',
    tag: 'Servers',
    summary: 'Restore a backup of a server',
    description:
      "Writes the files of a completed backup over those of a stopped server. Use it to go back to an earlier state, for example after a failed update; first stop the server, and wait until its state is offline. With delete_files, the panel first deletes all files of the server, after a check that the backup's archive exists. 202 means that the panel accepted the restore. It has ended when the server's status is null again; until then the server cannot be started or backed up.",
    refusals: {
      ...backupRefusals,
      bad_request: {
        when: 'The backup is not completed or has failed, its archive is gone and delete_files is true, the server is not stopped, or it is being installed, restored or moved.',
        example: badRequest('The server is running; stop it first'),
      },
    },
    tool: {
      name: 'restore_server_backup',
      description:
        "Writes a backup's files over those of a stopped game server; only restoring a backup made just before undoes it. First stop the server with set_server_power: get_server_resources must show offline. Start it again when get_server shows status null.",
    },
  })
    .input(RestoreRequest)
    .output(RestoreResult)
    .mutation(async ({ ctx, input: { server_identifier, backup_uuid: uuid, delete_files } }) => {
      const server = await getOwnedServer(ctx, server_identifier, 'action');
      // An earlier try may have started this restore, and the panel would refuse a second one.
      if (ctx.earlierTryAt && server.status === 'restoring_backup')
        return { server: server.identifier, backup: uuid, status: 'accepted' };
      const runExclusively: RunExclusively = (write) =>
        withFileLease(ctx, { server: server.uuid, path: null }, write);
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
      'Returns a signed link to a completed backup. Use it to keep a copy elsewhere, or to move a server to another host. The link is valid for a few minutes and works once: for another download, get another link. A backup contains every secret on the server: keep the link private.',
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
