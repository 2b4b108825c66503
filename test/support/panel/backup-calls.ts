/** How a panel refuses calls about the backups of a server, and pages them. */
import { type PanelAnswer, readField, refusal } from '../../../server/panel/demo/answers.ts';
import { findBackup, presentBackup } from '../../../server/panel/demo/backup-calls.ts';
import { invalidBody, paginate } from './answers.ts';
import { type Overrides, refuseForNode } from './emulated-panel.ts';

export const backupOverrides: Overrides = {
  'GET backups'({ server: { backups }, query }) {
    const { data, pagination } = paginate(backups, query, { usual: 20, most: 50 });
    const meta = { backup_count: backups.length, pagination };
    return { body: { object: 'list', data: data.map(presentBackup), meta } };
  },
  'POST backups': refuseForNode,
  // Needs no node.
  'GET backups/:id/download': (_call, panel): PanelAnswer => ({
    body: { object: 'signed_url', attributes: { url: panel.backupUrl() } },
  }),
  // A failed backup is deleted although it is locked, and one in progress is not protected.
  'DELETE backups/:id'(call, panel) {
    const { is_locked, is_successful, completed_at } = findBackup(call) ?? {};
    if (is_locked && is_successful && completed_at) return refusal(400, 'BackupLockedException');
    // Pelican calls its node only for an existing backup.
    return panel.dialect === 'pelican' && !is_successful ? null : refuseForNode(call, panel);
  },
  // The panel checks neither whether the server runs nor whether the backup failed.
  'POST backups/:id/restore'(call, panel) {
    if (typeof readField(call, 'truncate') !== 'boolean') return invalidBody();
    if (!findBackup(call)?.completed_at) return refusal(400, 'BadRequestHttpException');
    return refuseForNode(call, panel);
  },
};
