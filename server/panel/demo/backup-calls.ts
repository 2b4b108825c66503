/** How a panel answers the calls of its client API about the backups of a server. */
import { randomUUID } from 'node:crypto';
import { invalidField, notFound, type PanelAnswer, paginate, refusal } from './answers.ts';
import type { BackupAttributes } from './attributes.ts';
import { type EmulatedPanel, fold } from './emulated-panel.ts';
import { onNode, readField, type ServerCall } from './server-call.ts';
import { countTowards } from './server-limits.ts';

const backupsOf = ({ server }: ServerCall, { backups }: EmulatedPanel) =>
  backups.get(server.identifier) ?? [];

export const findBackup = (uuid: string, call: ServerCall, panel: EmulatedPanel) =>
  backupsOf(call, panel).find((backup) => fold(backup.uuid) === fold(uuid));

const presentBackup = (attributes: BackupAttributes, { dialect }: EmulatedPanel) => ({
  object: 'backup',
  attributes: { ...attributes, ...(dialect === 'pelican' && { is_scheduled: false }) },
});

export function answerBackups(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const all = backupsOf(call, panel).map((backup) => finishBackup(backup, call, panel));
  const size = Math.min(Number(call.query.get('per_page') ?? 20), 50);
  const { data, pagination } = paginate(all, { size, page: Number(call.query.get('page') ?? 1) });
  const meta = { backup_count: all.length, pagination };
  return { body: { object: 'list', data: data.map((backup) => presentBackup(backup, panel)), meta } };
}

function finishBackup(
  backup: BackupAttributes,
  { server }: ServerCall,
  panel: EmulatedPanel,
): BackupAttributes {
  const doneAt = Date.parse(backup.created_at) + panel.backupDurationMs;
  if (backup.completed_at || panel.clock() < doneAt) return backup;
  const checksum = `sha1:${backup.uuid.replaceAll('-', '')}`;
  const bytes = server.limits.disk * 64 * 1024;
  return { ...backup, checksum, bytes, is_successful: true, completed_at: toAtom(doneAt) };
}

export function answerNewBackup(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const all = backupsOf(call, panel);
  const count = countTowards('backups', call, panel);
  if (count?.isUsedUp)
    return {
      ...refusal(
        429,
        'TooManyRequestsHttpException',
        'Only 2 backups may be generated within a 600 second span of time.',
      ),
      headers: { 'Retry-After': count.retryAfter },
    };
  const most = call.server.feature_limits.backups;
  if (all.length >= most)
    return refusal(
      400,
      'TooManyBackupsException',
      `Cannot create a new backup, this server has reached its limit of ${most} backups.`,
    );
  const created_at = toAtom(panel.clock());
  const name = String(readField(call, 'name') ?? `Backup at ${created_at.slice(0, 19).replace('T', ' ')}`);
  const done = { is_successful: false, is_locked: false, checksum: null, bytes: 0, completed_at: null };
  const backup = { uuid: randomUUID(), name, ignored_files: [], created_at, ...done };
  panel.backups.set(call.server.identifier, [...all, backup]);
  return { body: presentBackup(backup, panel) };
}

/** As the panel writes times. */
const toAtom = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');

interface BackupCall extends ServerCall {
  backup: BackupAttributes;
}

export function answerBackup(route: string, call: BackupCall, panel: EmulatedPanel): PanelAnswer {
  const backup = finishBackup(call.backup, call, panel);
  switch (route) {
    case 'GET backup':
      return { body: presentBackup(backup, panel) };
    case 'GET backup/download':
      return answerDownload({ ...call, backup }, panel);
    case 'DELETE backup':
      return answerDeletion({ ...call, backup }, panel);
    case 'POST backup/restore':
      return answerRestore({ ...call, backup }, panel);
    default:
      return notFound();
  }
}

/** Asks no node. */
function answerDownload({ backup, headers }: BackupCall, panel: EmulatedPanel): PanelAnswer {
  const url = panel.backupUrl(backup.uuid, headers.host ?? '');
  return { body: { object: 'signed_url', attributes: { url } } };
}

/** A failed backup goes though it is locked, and one in progress is not protected. */
function answerDeletion(call: BackupCall, panel: EmulatedPanel): PanelAnswer {
  const { uuid, is_locked, is_successful, completed_at } = call.backup;
  if (is_locked && is_successful && completed_at)
    return refusal(400, 'BackupLockedException', 'Cannot delete a backup that is marked as locked.');
  const deleteIt = () => {
    const others = backupsOf(call, panel).filter((backup) => backup.uuid !== uuid);
    panel.backups.set(call.server.identifier, others);
    return { status: 204 };
  };
  // Pelican asks its node for what is there alone.
  return panel.dialect === 'pelican' && !is_successful ? deleteIt() : onNode(call, panel, deleteIt);
}

/** Looks neither at whether the server runs nor at whether the backup failed. */
function answerRestore(call: BackupCall, panel: EmulatedPanel): PanelAnswer {
  const { backup, server } = call;
  if (typeof readField(call, 'truncate') !== 'boolean')
    return invalidField('truncate', 'required', 'The truncate field is required.');
  if (!backup.completed_at)
    return refusal(
      400,
      'BadRequestHttpException',
      'This backup cannot be restored at this time: not completed or failed.',
    );
  return onNode(call, panel, () => {
    Object.assign(server, { status: 'restoring_backup' });
    panel.restores.push({ server, endsAt: panel.clock() + panel.restoreDurationMs });
    return { status: 204 };
  });
}

/** To be called before a server is looked at: what was restored by now can be used again. */
export function endRestores({ restores, clock }: Pick<EmulatedPanel, 'restores' | 'clock'>): void {
  for (const { server, endsAt } of restores) if (endsAt <= clock()) Object.assign(server, { status: null });
  restores.splice(0, restores.length, ...restores.filter(({ endsAt }) => endsAt > clock()));
}
