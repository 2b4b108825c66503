/** Waits until a backup is completed. */
import type { GetServerBackupData, GetServerBackupResponse } from './generated/types.gen.ts';
import type { Method } from './methods.ts';
import { type CallOptions, pause } from './send.ts';

type GetBackup = Method<GetServerBackupData, GetServerBackupResponse>;

const waitSecondsMax = 25;

/** @param options `timeoutMs` begins when the host should have answered at the latest */
export async function waitUntilCompleted(
  getBackup: GetBackup,
  backup: { server_identifier: string; backup_uuid: string },
  options: CallOptions & { timeoutMs: number },
): Promise<GetServerBackupResponse['backup']> {
  const timeoutMs = waitSecondsMax * 1000 + options.timeoutMs;
  for (;;) {
    const answer = await getBackup({ ...backup, wait: waitSecondsMax }, { ...options, timeoutMs });
    if (answer.backup.completed_at !== null) return answer.backup;
    // A host that is stopping answers at once.
    await pause(1, options.signal);
  }
}
