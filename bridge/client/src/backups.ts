/** Waits until a backup is completed. */
import type { GetServerBackupData, GetServerBackupResponse } from './generated/types.gen.ts';
import type { Method } from './methods.ts';
import type { CallOptions } from './send.ts';

type GetBackup = Method<GetServerBackupData, GetServerBackupResponse>;

const waitSecondsMax = 25;

/** Each call is answered when the backup is completed, or after the longest wait. */
export async function waitForBackup(
  getBackup: GetBackup,
  backup: { server_identifier: string; backup_uuid: string },
  options?: CallOptions,
): Promise<GetServerBackupResponse['backup']> {
  for (;;) {
    const answer = await getBackup({ ...backup, wait: waitSecondsMax }, options);
    if (answer.backup.completed_at !== null) return answer.backup;
  }
}
