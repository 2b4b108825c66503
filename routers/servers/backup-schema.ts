/** Backups of game servers. */
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
    uuid: z.string(),
    name: z.string(),
    bytes: z.number().describe('0 until the backup is done.'),
    checksum: z.string().nullable().describe('The algorithm, a colon, the checksum; null until it is done.'),
    is_successful: z.boolean().describe('false until it is done, and when it failed.'),
    is_locked: z.boolean().describe('A locked backup cannot be deleted; the panel unlocks it.'),
    created_at: dateTime,
    completed_at: dateTime.nullable().describe('null until the backup is done, successful or not.'),
  })
  .meta({
    title: 'Backup',
    description: 'The backup as it is now.',
    examples: [exampleBackup],
  });

export const BackupSummary = z
  .object({
    total: z.int().describe('How many count towards the limit.'),
    limit: z.number().nullable().describe('How many the server may have; null if the panel sets no limit.'),
  })
  .meta({
    title: 'BackupSummary',
    description: 'How many there are and may be.',
    examples: [{ total: 1, limit: 3 }],
  });

export const BackupCreateRequest = z
  .strictObject({
    server_identifier: ServerIdentifier,
    name: filledLine(190).optional().describe('At most 190 characters. Without it the panel chooses one.'),
  })
  .meta({
    title: 'BackupCreateRequest',
    examples: [{ server_identifier: exampleServerId, name: 'Before the update' }],
  });

export const BackupPath = z
  .strictObject({
    server_identifier: ServerIdentifier,
    backup_uuid: pathName().describe('Its uuid.'),
  })
  .meta({
    title: 'BackupPath',
    examples: [{ server_identifier: exampleServerId, backup_uuid: exampleBackup.uuid }],
  });

const waitSecondsMax = 25;

export const BackupQuery = BackupPath.extend({
  wait: integer(0, waitSecondsMax).default(0).describe('Seconds to wait for its end.'),
}).meta({
  title: 'BackupQuery',
  examples: [{ server_identifier: exampleServerId, backup_uuid: exampleBackup.uuid, wait: waitSecondsMax }],
});

export const RestoreRequest = BackupPath.extend({
  delete_files: z.boolean().default(false).describe('Whether files that the backup lacks are deleted.'),
}).meta({
  title: 'RestoreRequest',
  examples: [{ server_identifier: exampleServerId, backup_uuid: exampleBackup.uuid, delete_files: false }],
});

export const RestoreResult = z
  .object({
    server: z.string().describe('Its identifier.'),
    backup: z.string().describe('Its uuid.'),
    status: openEnum('RestoreStatus', ['accepted']).describe(
      'Accepted by the panel; it does not wait for the files to be restored.',
    ),
  })
  .meta({
    title: 'RestoreResult',
    examples: [{ server: exampleServerId, backup: exampleBackup.uuid, status: 'accepted' }],
  });

/** @param noun what it downloads */
export const signedLink = (title: string, noun: 'backup' | 'file') =>
  z
    .object({
      url: z
        .string()
        .describe(
          `The panel's own signed link, which works once: anyone who has it can download the ${noun}.`,
        ),
      expires_at: dateTime.describe('When the link expires.'),
    })
    .meta({
      title,
      examples: [
        {
          url: `https://node.gamehost.example:8080/download/${noun}?token=...`,
          expires_at: '2026-11-21T09:45:00.000Z',
        },
      ],
    });

export const BackupLink = signedLink('BackupLink', 'backup');

export const presentBackup: (backup: PanelBackup) => z.infer<typeof Backup> = createPick(Backup);
