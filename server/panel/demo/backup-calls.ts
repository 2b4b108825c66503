/** How a panel answers the calls of its client API about the backups of a server. */
import { randomUUID } from 'node:crypto';
import { invalidBody, type PanelAnswer, paginate, readField, refusal } from './answers.ts';
import {
  type BackupAttributes,
  type EmulatedPanel,
  fold,
  onNode,
  type ServerCall,
} from './emulated-panel.ts';

/** With what has become of those in progress. */
const backupsOf = ({ server }: ServerCall, panel: EmulatedPanel): BackupAttributes[] =>
  (panel.backups.get(server.identifier) ?? []).map((backup) => {
    const doneAt = Date.parse(backup.created_at) + panel.backupDurationMs;
    if (backup.completed_at || panel.clock() < doneAt) return backup;
    const checksum = `sha1:${backup.uuid.replaceAll('-', '')}`;
    const bytes = server.limits.disk * 64 * 1024;
    return { ...backup, checksum, bytes, is_successful: true, completed_at: toAtom(doneAt) };
  });

export const findBackup = (uuid: string, call: ServerCall, panel: EmulatedPanel) =>
  backupsOf(call, panel).find((backup) => fold(backup.uuid) === fold(uuid));

/** As the panel writes times. */
export const toAtom = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');

const presentBackup = (attributes: BackupAttributes) => ({ object: 'backup', attributes });

export function answerBackups(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const all = backupsOf(call, panel);
  const { data, pagination } = paginate(all, call.query, { usual: 20, most: 50 });
  const meta = { backup_count: all.length, pagination };
  return { body: { object: 'list', data: data.map(presentBackup), meta } };
}

/** A schedule's backup takes the place of the oldest one that is not locked; a user's does not. */
export const answerNewBackup = (rotates: boolean) =>
  onNode((call, panel) => {
    let all = backupsOf(call, panel);
    const { backups: most } = call.server.feature_limits;
    if (all.length >= most) {
      const oldest = rotates && most > 0 && all.find(({ is_locked }) => !is_locked);
      if (!oldest) return refusal(400, 'TooManyBackupsException');
      all = all.filter((backup) => backup !== oldest);
    }
    const created_at = toAtom(panel.clock());
    const name = String(readField(call, 'name') ?? `Backup at ${created_at.slice(0, 19).replace('T', ' ')}`);
    const done = { is_successful: false, is_locked: false, checksum: null, bytes: 0, completed_at: null };
    const backup = { uuid: randomUUID(), name, ignored_files: [], created_at, ...done };
    panel.backups.set(call.server.identifier, [...all, backup]);
    return { body: presentBackup(backup) };
  });

type AnswerBackupCall = (
  call: ServerCall & { backup: BackupAttributes },
  panel: EmulatedPanel,
) => PanelAnswer;

export const backupRoutes: Partial<Record<string, AnswerBackupCall>> = {
  'GET backup': ({ backup }) => ({ body: presentBackup(backup) }),
  // Asks no node.
  'GET backup/download': ({ backup, headers }, panel) => {
    const url = panel.backupUrl(backup.uuid, headers.host ?? '');
    return { body: { object: 'signed_url', attributes: { url } } };
  },
  // A failed backup goes though it is locked, and one in progress is not protected.
  'DELETE backup': ({ backup, ...call }, panel) => {
    const { uuid, is_locked, is_successful, completed_at } = backup;
    if (is_locked && is_successful && completed_at) return refusal(400, 'BackupLockedException');
    const deleteIt = () => {
      const others = backupsOf(call, panel).filter((other) => other.uuid !== uuid);
      panel.backups.set(call.server.identifier, others);
      return { status: 204 };
    };
    // Pelican asks its node for what is there alone.
    return panel.dialect === 'pelican' && !is_successful ? deleteIt() : onNode(deleteIt)(call, panel);
  },
  // Looks neither at whether the server runs nor at whether the backup failed.
  'POST backup/restore': ({ backup, ...call }, panel) => {
    if (typeof readField(call, 'truncate') !== 'boolean') return invalidBody();
    if (!backup.completed_at) return refusal(400, 'BadRequestHttpException');
    return onNode(({ server }) => {
      Object.assign(server, { status: 'restoring_backup' });
      panel.restores.push({ server, endsAt: panel.clock() + panel.restoreDurationMs });
      return { status: 204 };
    })(call, panel);
  },
};

/** To be called before a server is looked at: what was restored by now can be used again. */
export function endRestores({ restores, clock }: Pick<EmulatedPanel, 'restores' | 'clock'>): void {
  for (const { server, endsAt } of restores) if (endsAt <= clock()) Object.assign(server, { status: null });
  restores.splice(0, restores.length, ...restores.filter(({ endsAt }) => endsAt > clock()));
}
