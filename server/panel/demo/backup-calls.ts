/** Answers the calls of the client API about the backups of a server, as a panel does. */
import { randomUUID } from 'node:crypto';
import { linkTo, notFound, type PanelAnswer, readField, refusal, toAtom } from './answers.ts';
import type {
  AnswerServerCall,
  BackupAttributes,
  Panel,
  ReceivedServerRequest,
  ServerRoutes,
} from './panel.ts';

const workMs = 4_000;

export function findBackup({ server, rest }: ReceivedServerRequest) {
  const [, uuid] = rest.toLowerCase().split('/');
  return server.backups.find((backup) => backup.uuid === uuid);
}

const aboutBackup =
  (
    answer: (call: ReceivedServerRequest, panel: Panel, backup: BackupAttributes) => PanelAnswer,
  ): AnswerServerCall =>
  (call, panel) => {
    const backup = findBackup(call);
    return backup ? answer(call, panel, backup) : notFound();
  };

export const presentBackup = (attributes: BackupAttributes) => ({ object: 'backup', attributes });

export const addBackup: AnswerServerCall = (call, panel) => {
  const { server } = call;
  const { limits, feature_limits } = server.attributes;
  if (server.backups.length >= feature_limits.backups) return refusal(400, 'TooManyBackupsException');
  const created_at = toAtom(panel.clock());
  const backup = {
    uuid: randomUUID(),
    name: String(readField(call, 'name') ?? `Backup at ${created_at.slice(0, 19).replace('T', ' ')}`),
    ...{ checksum: null, bytes: 0, is_successful: false, is_locked: false, created_at, completed_at: null },
  };
  server.backups = [...server.backups, backup];
  panel.after(workMs, () => {
    const done = { checksum: `sha1:${randomUUID()}`, bytes: limits.disk * 64 * 1024, is_successful: true };
    Object.assign(backup, done, { completed_at: toAtom(panel.clock()) });
  });
  return { body: presentBackup(backup) };
};

export const backupRoutes: ServerRoutes = {
  'GET backups'({ server: { backups } }) {
    const meta = { backup_count: backups.length, pagination: { total: backups.length, total_pages: 1 } };
    return { body: { object: 'list', data: backups.map(presentBackup), meta } };
  },
  'POST backups': addBackup,
  'GET backups/:id': aboutBackup((_call, _panel, backup) => ({ body: presentBackup(backup) })),
  'GET backups/:id/download': aboutBackup((call, panel, { uuid, name }) => {
    const body = `${name}: a backup of the demo panel holds nothing.\n`;
    const token = panel.issueToken(uuid, () => ({ headers: { 'Content-Type': 'text/plain' }, body }));
    return linkTo(call, 'download/backup', token);
  }),
  'POST backups/:id/restore': aboutBackup(({ server: { attributes } }, panel) => {
    attributes.status = 'restoring_backup';
    panel.after(workMs, () => Object.assign(attributes, { status: null }));
    return { status: 204 };
  }),
  'DELETE backups/:id': aboutBackup(({ server }, _panel, backup) => {
    server.backups = server.backups.filter((other) => other !== backup);
    return { status: 204 };
  }),
};
