/** Wire schemas for backups, and for signed links to backups and files. */
import { z } from 'zod';
import type { PanelBackup } from '../panel-port.ts';
import { dateTime, exampleServerId, integer, openEnum, pathName } from '../schemas/common.ts';
import { createPick } from '../schemas/pick.ts';
import { filledLine } from '../schemas/text.ts';
import { ServerIdentifier } from './server-schema.ts';

const exampleBackup = {
  uuid: '904df120-a66f-4b9d-8f30-2c1b7f8c0d3f',
  name: 'Before the update',
  bytes: 734_003_200,
  checksum: 'sha1:5b1a9f0c2d3e4f5061728394a5b6c7d8e9f00112',
  is_successful: true,
  is_locked: false,
  created_at: '2026-11-21T09:30:00.000Z',
  completed_at: '2026-11-21T09:31:12.000Z',
};

export const Backup = z
  .object({
    uuid: z.string().describe('Identifies the backup in paths.'),
    name: z.string().describe('The name from its creation, or one that the panel chose.'),
    bytes: z.number().describe('The size of its archive; 0 until the backup is completed.'),
    checksum: z
      .string()
      .nullable()
      .describe('The algorithm, a colon and the checksum; null until the backup is completed.'),
    is_successful: z.boolean().describe('false until the backup is completed, and if it failed.'),
    is_locked: z.boolean().describe('A locked backup cannot be deleted; unlock it in the panel.'),
    created_at: dateTime.describe('When the backup began.'),
    completed_at: dateTime
      .nullable()
      .describe('When the backup ended, successful or not; null while it is in progress.'),
  })
  .meta({
    title: 'Backup',
    description: 'The current state of the backup.',
    examples: [exampleBackup],
  });

export const BackupSummary = z
  .object({
    total: z.int().describe('How many count toward the limit.'),
    limit: z.number().nullable().describe('How many the server may have; null if the panel sets no limit.'),
  })
  .meta({
    title: 'BackupSummary',
    description: 'How many backups there are, and the limit.',
    examples: [{ total: 1, limit: 3 }],
  });

export const BackupCreateRequest = z
  .strictObject({
    server_identifier: ServerIdentifier,
    name: filledLine(190).optional().describe('At most 190 characters. By default, the panel chooses it.'),
  })
  .meta({
    title: 'BackupCreateRequest',
    examples: [{ server_identifier: exampleServerId, name: 'Before the update' }],
  });

export const BackupPath = z
  .strictObject({
    server_identifier: ServerIdentifier,
    backup_uuid: pathName().describe('The uuid of the backup.'),
  })
  .meta({
    title: 'BackupPath',
    examples: [{ server_identifier: exampleServerId, backup_uuid: exampleBackup.uuid }],
  });

const waitSecondsMax = 25;

export const BackupQuery = BackupPath.extend({
  wait: integer(0, waitSecondsMax).default(0).describe('How many seconds to wait for its completion.'),
}).meta({
  title: 'BackupQuery',
  examples: [{ server_identifier: exampleServerId, backup_uuid: exampleBackup.uuid, wait: waitSecondsMax }],
});

export const RestoreRequest = BackupPath.extend({
  delete_files: z.boolean().default(false).describe('Whether to delete files that are not in the backup.'),
}).meta({
  title: 'RestoreRequest',
  examples: [{ server_identifier: exampleServerId, backup_uuid: exampleBackup.uuid, delete_files: false }],
});

export const RestoreResult = z
  .object({
    server: z.string().describe('The identifier of the server.'),
    backup: z.string().describe('The uuid of the backup.'),
    status: openEnum('RestoreStatus', ['accepted']).describe(
      'The panel accepted it; the status of the server is restoring_backup until it has ended.',
    ),
  })
  .meta({
    title: 'RestoreResult',
    description: 'The restore that the panel accepted.',
    examples: [{ server: exampleServerId, backup: exampleBackup.uuid, status: 'accepted' }],
  });

export const signedLink = (title: string, noun: 'backup' | 'file') =>
  z
    .object({
      url: z
        .string()
        .describe(`A link signed by the panel. It works once: anyone who has it can download the ${noun}.`),
      expires_at: dateTime.describe('When the link expires.'),
    })
    .meta({
      title,
      description: `A link that downloads the ${noun} once.`,
      examples: [
        {
          url: `https://node.gamehost.example:8080/download/${noun}?token=...`,
          expires_at: '2026-11-21T09:45:00.000Z',
        },
      ],
    });

export const BackupLink = signedLink('BackupLink', 'backup');

export const presentBackup: (backup: PanelBackup) => z.infer<typeof Backup> = createPick(Backup);
