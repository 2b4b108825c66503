/** How a panel in good order answers the client API's calls about one server; written from the panels' own source. */
import { errorEnvelope, type RawAnswer } from './panel-answers.ts';

/** A backup as both panels send it. */
type BackupAttributes = ReturnType<typeof panelBackup>;

export const panelBackup = (overrides: Record<string, unknown> = {}) => ({
  uuid: '904df120-a66f-4b9d-8f30-2c1b7f8c0d3f',
  name: 'Before the update',
  ignored_files: ['*.log'],
  checksum: 'sha1:0d8f9e0a' as string | null,
  bytes: 123_456,
  is_successful: true,
  is_locked: false,
  created_at: '2026-05-01T10:00:00+00:00',
  completed_at: '2026-05-01T10:01:00+00:00' as string | null,
  ...overrides,
});

export interface ClientApiState {
  dialect: 'pterodactyl' | 'pelican';
  /** By identifier; `running` where nothing is said. */
  runStates: Map<string, string>;
  /** By identifier, oldest first. */
  backups: Map<string, BackupAttributes[]>;
  /** Such as "a1b2c3d4 say hello". */
  commands: string[];
  /** Such as "a1b2c3d4 start". */
  signals: string[];
}

export interface ClientCall {
  method: string;
  identifier: string;
  /** What follows the identifier in the path. */
  rest: string;
  query: URLSearchParams;
  body: string;
}

const fail = (status: number, code: string, detail?: string): RawAnswer => ({
  status,
  body: errorEnvelope(status, code, detail),
});

const notFound = () => fail(404, 'NotFoundHttpException');

/** For a server that exists and is neither suspended nor busy. */
export function answerClientCall(call: ClientCall, state: ClientApiState): RawAnswer {
  const { method, rest } = call;
  const [, uuid] = /^backups\/([^/]+)\/download$/.exec(rest) ?? [];
  if (`${method} ${rest}` === 'POST power') return answerPower(call, state);
  if (`${method} ${rest}` === 'GET resources') return answerResources(call, state);
  if (`${method} ${rest}` === 'POST command') return answerCommand(call, state);
  if (`${method} ${rest}` === 'GET backups') return answerBackups(call, state);
  if (`${method} ${rest}` === 'POST backups') return answerNewBackup(call, state);
  if (method === 'GET' && uuid) return answerDownload(uuid, call, state);
  return notFound();
}

function answerPower({ identifier, body }: ClientCall, { signals }: ClientApiState): RawAnswer {
  const { signal } = JSON.parse(body);
  if (!['start', 'stop', 'restart', 'kill'].includes(signal)) return fail(422, 'ValidationException');
  signals.push(`${identifier} ${signal}`);
  return { status: 204 };
}

const stateOf = ({ identifier }: ClientCall, { runStates }: ClientApiState) =>
  runStates.get(identifier) ?? 'running';

function answerResources(call: ClientCall, state: ClientApiState): RawAnswer {
  const isUp = stateOf(call, state) !== 'offline';
  const resources = {
    memory_bytes: isUp ? 588_701_696 : 0,
    cpu_absolute: isUp ? 12.34 : 0,
    disk_bytes: 130_156_361,
    network_rx_bytes: isUp ? 694_220 : 0,
    network_tx_bytes: isUp ? 337_090 : 0,
    uptime: isUp ? 86_400_000 : 0,
  };
  const attributes = { current_state: stateOf(call, state), is_suspended: false, resources };
  return { body: { object: 'stats', attributes } };
}

function answerCommand(call: ClientCall, state: ClientApiState): RawAnswer {
  // Pelican does not look at its node's answer.
  if (stateOf(call, state) === 'offline' && state.dialect === 'pterodactyl')
    return fail(502, 'HttpException', 'Server must be online in order to send commands.');
  state.commands.push(`${call.identifier} ${JSON.parse(call.body).command}`);
  return { status: 204 };
}

const backupsOf = ({ identifier }: ClientCall, { backups }: ClientApiState) => backups.get(identifier) ?? [];

function answerBackups(call: ClientCall, state: ClientApiState): RawAnswer {
  const all = backupsOf(call, state);
  const size = Math.min(Number(call.query.get('per_page') ?? 20), 50);
  const page = Number(call.query.get('page') ?? 1);
  const pagination = {
    total: all.length,
    current_page: page,
    total_pages: Math.max(1, Math.ceil(all.length / size)),
  };
  const data = all
    .slice((page - 1) * size, page * size)
    .map((attributes) => ({ object: 'backup', attributes }));
  return { body: { object: 'list', data, meta: { backup_count: all.length, pagination } } };
}

function answerNewBackup(call: ClientCall, { backups, ...state }: ClientApiState): RawAnswer {
  const all = backupsOf(call, { backups, ...state });
  const { name } = JSON.parse(call.body);
  const isPending = { checksum: null, bytes: 0, is_successful: false, completed_at: null };
  const backup = panelBackup({
    ...isPending,
    uuid: `00000000-0000-4000-8000-${String(all.length).padStart(12, '0')}`,
    name: name ?? 'Backup at 2026-05-01 12:00:00',
    created_at: '2026-05-01T12:00:00+00:00',
  });
  backups.set(call.identifier, [...all, backup]);
  return { body: { object: 'backup', attributes: backup } };
}

function answerDownload(uuid: string, call: ClientCall, state: ClientApiState): RawAnswer {
  if (!backupsOf(call, state).some((backup) => backup.uuid === uuid)) return notFound();
  return { body: { object: 'signed_url', attributes: { url: signedUrl } } };
}

const token = (claims: object) =>
  [{ alg: 'HS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

/** What makes a download link work; the tests' watch over secrets looks for it. */
export const linkSignature = 'the-signature-of-a-node';

/** As a node signs it, good until `signedUntil`. */
export const signedUntil = '2100-01-01T00:15:00.000Z';
export const signedUrl = `https://node.panel.example:8080/download/backup?token=${token({
  exp: Date.parse(signedUntil) / 1000,
})}.${linkSignature}`;
