/** How a panel answers the calls of its client API about one server, and about that server's backups. */
import { randomUUID } from 'node:crypto';
import { invalidField, notFound, type PanelAnswer, type PanelCall, paginate, refusal } from './answers.ts';
import type { BackupAttributes, ServerAttributes } from './attributes.ts';
import { type EmulatedPanel, fold } from './emulated-panel.ts';
import { answerFileCall, answerFileLink } from './file-calls.ts';
import type { PanelStats } from './node.ts';

interface ServerCall extends PanelCall {
  server: ServerAttributes;
  /** What follows the identifier in the path; empty for the server itself. */
  rest: string;
  query: URLSearchParams;
}

export function answerServerCall(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const [, uuid] = /^backups\/([^/]+)\/download$/.exec(call.rest) ?? [];
  // Looked up before the server's state is judged.
  if (uuid && !findBackup(uuid, call, panel)) return notFound();
  const route = uuid ? `${call.method} download` : `${call.method} ${call.rest}`;
  const conflict = route === 'GET ' ? null : findConflict(call.server, panel);
  const isSocketOpen = route === 'GET websocket' && conflict?.isOfServer;
  if (conflict && !isSocketOpen) return refusal(409, 'ServerStateConflictException', conflict.detail);
  switch (route) {
    case 'GET ':
      return answerView(call.server, panel);
    case 'GET resources':
      return answerResources(call, panel);
    case 'GET websocket':
      return { body: { data: panel.consoleAccess(call.server, call.headers.host ?? '') } };
    case 'POST power':
      return answerPower(call, panel);
    case 'POST command':
      return answerCommand(call, panel);
    case 'GET backups':
      return answerBackups(call, panel);
    case 'POST backups':
      return onNode(call, panel, () => answerNewBackup(call, panel));
    case 'GET download':
      return answerDownload(uuid ?? '', call, panel);
    default:
      return answerFiles(route, call, panel) ?? notFound();
  }
}

function answerFiles(route: string, call: ServerCall, panel: EmulatedPanel): PanelAnswer | null {
  const [, method, rest] = /^(\w+) files\/(.+)$/.exec(route) ?? [];
  if (!rest) return null;
  const { server, query, body, headers } = call;
  const of = { uuid: server.uuid, host: headers.host ?? '', tree: panel.filesOf(server) };
  const fileCall = { route: `${method} ${rest}`, query, body, ...of };
  if (fileCall.route === 'GET download') return answerFileLink(fileCall, panel);
  return onNode(call, panel, () => answerFileCall(fileCall, panel) ?? notFound());
}

interface Conflict {
  detail: string;
  /** Root administrators may see its console all the same. */
  isOfServer: boolean;
}

/** In the order in which a panel looks. */
function findConflict(
  { suspended, status, identifier, node }: ServerAttributes,
  { conditions }: EmulatedPanel,
): Conflict | null {
  const unavailable = 'and the functionality requested is unavailable.';
  if (suspended) return { detail: `This server is currently suspended ${unavailable}`, isOfServer: false };
  if (conditions.maintainedNodes.has(node))
    return {
      detail: `The node of this server is currently under maintenance ${unavailable}`,
      isOfServer: false,
    };
  const detail = conditions.transferring.has(identifier)
    ? 'This server is currently being transferred to a new machine, please try again later.'
    : busyDetails[String(status)];
  return detail === undefined ? null : { detail, isOfServer: true };
}

const notInstalled = 'This server has not yet completed its installation process, please try again later.';

const busyDetails: Partial<Record<string, string>> = {
  installing: notInstalled,
  install_failed: notInstalled,
  reinstall_failed: notInstalled,
  restoring_backup: 'This server is currently restoring from a backup, please try again later.',
};

/** What makes the panel ask the server's node. */
function onNode({ server }: ServerCall, { conditions, dialect }: EmulatedPanel, answer: () => PanelAnswer) {
  if (!conditions.deadNodes.has(server.node)) return answer();
  if (dialect === 'pelican') return refusal(500, 'ConnectionException', 'cURL error 7');
  return refusal(
    504,
    'DaemonConnectionException',
    'Could not establish a connection to the machine running this server. Please try again.',
  );
}

function answerView(server: ServerAttributes, { conditions }: EmulatedPanel): PanelAnswer {
  const { identifier, uuid, name, description, limits, feature_limits, node, suspended } = server;
  const status: string | null = server.status;
  const attributes = {
    server_owner: false,
    ...{ identifier, internal_id: server.id, uuid, name, node: `node${node}` },
    is_node_under_maintenance: conditions.maintainedNodes.has(node),
    sftp_details: { ip: '127.0.0.1', port: 2022 },
    ...{ description, limits, feature_limits, status },
    invocation: server.container.startup_command,
    docker_image: server.container.image,
    egg_features: null,
    is_suspended: suspended,
    is_installing: status !== null && busyDetails[status] === notInstalled,
    is_transferring: conditions.transferring.has(identifier),
  };
  const user_permissions = [
    '*',
    'admin.websocket.errors',
    'admin.websocket.install',
    'admin.websocket.transfer',
  ];
  return { body: { object: 'server', attributes, meta: { is_server_owner: false, user_permissions } } };
}

const resourcesTtlMs = 20_000;

/** Power and commands leave what the panel keeps as it is. */
function answerResources(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const { identifier } = call.server;
  const kept = panel.keptResources.get(identifier);
  if (kept && panel.clock() - kept.measuredAt < resourcesTtlMs) return presentResources(kept.stats);
  return onNode(call, panel, () => {
    const stats = panel.resourcesOf(call.server);
    panel.keptResources.set(identifier, { stats, measuredAt: panel.clock() });
    return presentResources(stats);
  });
}

const presentResources = (stats: PanelStats): PanelAnswer => ({
  body: { object: 'stats', attributes: { is_suspended: false, ...stats } },
});

/** The field of a JSON body; undefined where the body is no JSON object. */
function readField({ body }: PanelCall, name: string): unknown {
  try {
    return JSON.parse(body)[name];
  } catch {
    return undefined;
  }
}

const signals: readonly unknown[] = ['start', 'stop', 'restart', 'kill'];

function answerPower(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const signal = readField(call, 'signal');
  if (!signals.includes(signal)) return invalidField('signal', 'in', 'The selected signal is invalid.');
  return onNode(call, panel, () => {
    panel.onSignal(call.server.identifier, String(signal));
    return { status: 204 };
  });
}

function answerCommand(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const command = readField(call, 'command');
  if (!command) return invalidField('command', 'required', 'The command field is required.');
  return onNode(call, panel, () => {
    const isOffline = panel.resourcesOf(call.server).current_state === 'offline';
    // Pelican does not look at its node's answer.
    if (isOffline && panel.dialect === 'pterodactyl')
      return refusal(502, 'HttpException', 'Server must be online in order to send commands.');
    panel.onCommand(call.server.identifier, String(command));
    return { status: 204 };
  });
}

const backupsOf = ({ server }: ServerCall, { backups }: EmulatedPanel) =>
  backups.get(server.identifier) ?? [];

const findBackup = (uuid: string, call: ServerCall, panel: EmulatedPanel) =>
  backupsOf(call, panel).find((backup) => fold(backup.uuid) === fold(uuid));

const presentBackup = (attributes: BackupAttributes) => ({ object: 'backup', attributes });

function answerBackups(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const all = backupsOf(call, panel).map((backup) => finishBackup(backup, call, panel));
  const size = Math.min(Number(call.query.get('per_page') ?? 20), 50);
  const { data, pagination } = paginate(all, { size, page: Number(call.query.get('page') ?? 1) });
  const meta = { backup_count: all.length, pagination };
  return { body: { object: 'list', data: data.map(presentBackup), meta } };
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

/** Asks no node. */
function answerDownload(uuid: string, call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const url = panel.backupUrl(uuid, call.headers.host ?? '');
  return { body: { object: 'signed_url', attributes: { url } } };
}
