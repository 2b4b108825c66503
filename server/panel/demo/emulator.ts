/**
 * How a Pterodactyl or Pelican panel in good order answers the calls that the service makes, written from the panels' own
 * source. The demo panel is one of these with servers that move; the tests' panel is one that can also misbehave.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../routers/ports.ts';
import type { BackupAttributes, ServerAttributes, UserAttributes } from './attributes.ts';

export interface PanelAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: string | Buffer | object;
}

export interface PanelCall {
  method: string;
  /** With its query, as it came. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What a panel knows, and what happens behind it. */
export interface EmulatedPanel {
  dialect: 'pterodactyl' | 'pelican';
  applicationKey: string;
  clientKey: string;
  clock: Clock;
  /** By the id of the panel user who owns them. */
  servers: Map<number, ServerAttributes[]>;
  /** Users who can be found, besides those that own servers. */
  users: UserAttributes[];
  /** By the server's identifier, oldest first. */
  backups: Map<string, BackupAttributes[]>;
  backupDurationMs: number;
  backupUrl(uuid: string, host: string): string;
  /** What admits to the console of a server on its node. */
  consoleAccess(server: ServerAttributes, host: string): { token: string; socket: string };
  resourcesOf(server: ServerAttributes): { current_state: string; resources: object };
  onSignal(identifier: string, signal: string): void;
  onCommand(identifier: string, command: string): void;
}

interface ServerCall extends PanelCall {
  server: ServerAttributes;
  /** What follows the identifier in the path. */
  rest: string;
  query: URLSearchParams;
}

const bodyBytesMax = 64 * 1024;

/** @throws when the body is too long */
export async function readPanelCall(req: IncomingMessage): Promise<PanelCall> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error('the body is too long');
    chunks.push(chunk);
  }
  const { method = '', url: path = '', headers } = req;
  return { method, path, headers, body: Buffer.concat(chunks).toString() };
}

export function sendPanelAnswer(res: ServerResponse, { status = 200, headers = {}, body }: PanelAnswer) {
  const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  res.writeHead(status, { 'Content-Type': isRaw ? 'text/html' : 'application/json', ...headers });
  res.end(isRaw ? body : JSON.stringify(body));
}

/** A panel's error body. */
export const errorEnvelope = (status: number, code: string, detail = 'No detail.') => ({
  errors: [{ code, status: String(status), detail }],
});

export const refusal = (status: number, code: string, detail?: string): PanelAnswer => ({
  status,
  body: errorEnvelope(status, code, detail),
});

export const notFound = () => refusal(404, 'NotFoundHttpException');

export function answerPanelCall(call: PanelCall, panel: EmulatedPanel): PanelAnswer {
  const { pathname, searchParams: query } = new URL(call.path, 'http://panel');
  const [, api, path = ''] = /^\/api\/(application|client)\/(.+)$/.exec(pathname) ?? [];
  if (!api) return notFound();
  if (!call.headers.accept?.includes('json')) return { status: 302, headers: { Location: '/auth/login' } };
  const key = api === 'client' ? panel.clientKey : panel.applicationKey;
  if (call.headers.authorization !== `Bearer ${key}`)
    return refusal(401, 'AuthenticationException', 'Unauthenticated.');
  if (api === 'application')
    return call.method === 'GET' ? answerApplication(path, query, panel) : notFound();
  const [, segment = '', rest = ''] = /^servers\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const server = findEmulatedServer(decodeURIComponent(segment), panel);
  if (!server) return notFound();
  if (server.suspended)
    return conflict('This server is currently suspended and the functionality requested is unavailable.');
  return answerServerCall({ ...call, server, rest, query }, panel);
}

/** The panels' databases compare text without its case, and take some letters for others. */
const fold = (text: string) => text.normalize('NFKC').toLowerCase();

export const findEmulatedServer = (asked: string, { servers }: EmulatedPanel) =>
  [...servers.values()]
    .flat()
    .find(({ identifier, uuid }) => [identifier, uuid].map(fold).includes(fold(asked)));

const conflict = (detail: string) => refusal(409, 'ServerStateConflictException', detail);

function answerApplication(
  path: string,
  query: URLSearchParams,
  { users, servers }: EmulatedPanel,
): PanelAnswer {
  const present = (attributes: object) => ({ object: 'user', attributes });
  if (path === 'users') {
    // The panel's filter matches any part of the address.
    const found = users.filter(({ email }) => fold(email).includes(fold(query.get('filter[email]') ?? '')));
    return { body: { object: 'list', data: found.map(present) } };
  }
  const [, externalId] = /^users\/external\/([^/]+)$/.exec(path) ?? [];
  if (externalId) {
    const user = users.find(({ external_id: id }) => id && fold(id) === fold(decodeURIComponent(externalId)));
    return user ? { body: present(user) } : notFound();
  }
  const id = Number(/^users\/([^/]+)$/.exec(path)?.[1]);
  const owned = servers.get(id);
  if (!owned) return notFound();
  return { body: userWithServers(id, query.get('include')?.startsWith('servers') ? owned : null) };
}

/** A panel's answer to `GET /api/application/users/{id}`; with null, without `?include=servers`. */
export const userWithServers = (id: number, servers: readonly object[] | null) => ({
  object: 'user',
  attributes: {
    id,
    external_id: null,
    email: `user${id}@panel.example`,
    ...(servers && {
      relationships: {
        servers: { object: 'list', data: servers.map((attributes) => ({ object: 'server', attributes })) },
      },
    }),
  },
});

/** For a server that exists and is neither suspended nor busy. */
function answerServerCall(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const { method, rest, server } = call;
  const [, uuid] = /^backups\/([^/]+)\/download$/.exec(rest) ?? [];
  if (method === 'GET' && uuid) return answerDownload(uuid, call, panel);
  switch (`${method} ${rest}`) {
    case 'GET resources':
      return { body: { object: 'stats', attributes: { is_suspended: false, ...panel.resourcesOf(server) } } };
    case 'GET websocket':
      return { body: { data: panel.consoleAccess(server, call.headers.host ?? '') } };
    case 'POST power':
      return answerPower(call, panel);
    case 'POST command':
      return answerCommand(call, panel);
    case 'GET backups':
      return answerBackups(call, panel);
    case 'POST backups':
      return answerNewBackup(call, panel);
    default:
      return notFound();
  }
}

/** The field of a JSON body; undefined where the body is no JSON object. */
function readField({ body }: PanelCall, name: string): unknown {
  try {
    return JSON.parse(body)[name];
  } catch {
    return undefined;
  }
}

const signals: readonly unknown[] = ['start', 'stop', 'restart', 'kill'];

function answerPower(call: ServerCall, { onSignal }: EmulatedPanel): PanelAnswer {
  const signal = readField(call, 'signal');
  if (!signals.includes(signal))
    return refusal(422, 'ValidationException', 'The selected signal is invalid.');
  onSignal(call.server.identifier, String(signal));
  return { status: 204 };
}

function answerCommand(call: ServerCall, { dialect, resourcesOf, onCommand }: EmulatedPanel): PanelAnswer {
  const command = readField(call, 'command');
  if (!command) return refusal(422, 'ValidationException', 'The command field is required.');
  const isOffline = resourcesOf(call.server).current_state === 'offline';
  // Pelican does not look at its node's answer.
  if (isOffline && dialect === 'pterodactyl')
    return refusal(502, 'HttpException', 'Server must be online in order to send commands.');
  onCommand(call.server.identifier, String(command));
  return { status: 204 };
}

const backupsOf = ({ server }: ServerCall, { backups }: EmulatedPanel) =>
  backups.get(server.identifier) ?? [];

const presentBackup = (attributes: BackupAttributes) => ({ object: 'backup', attributes });

function answerBackups(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const all = backupsOf(call, panel).map((backup) => finishBackup(backup, call, panel));
  const size = Math.min(Number(call.query.get('per_page') ?? 20), 50);
  const page = Number(call.query.get('page') ?? 1);
  const total_pages = Math.max(1, Math.ceil(all.length / size));
  const data = all.slice((page - 1) * size, page * size).map(presentBackup);
  const pagination = { total: all.length, count: data.length, current_page: page, total_pages };
  return { body: { object: 'list', data, meta: { backup_count: all.length, pagination } } };
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

function answerNewBackup(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const all = backupsOf(call, panel);
  if (all.length >= call.server.feature_limits.backups)
    return refusal(400, 'TooManyBackupsException', 'This server has reached its backup limit.');
  const created_at = toAtom(panel.clock());
  const name = String(readField(call, 'name') ?? `Backup at ${created_at.slice(0, 19).replace('T', ' ')}`);
  const done = { is_successful: false, is_locked: false, checksum: null, bytes: 0, completed_at: null };
  const backup = { uuid: randomUUID(), name, ignored_files: [], created_at, ...done };
  panel.backups.set(call.server.identifier, [...all, backup]);
  return { body: presentBackup(backup) };
}

/** As the panel writes times. */
const toAtom = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');

function answerDownload(uuid: string, call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  if (!backupsOf(call, panel).some((backup) => fold(backup.uuid) === fold(uuid))) return notFound();
  const url = panel.backupUrl(uuid, call.headers.host ?? '');
  return { body: { object: 'signed_url', attributes: { url } } };
}
