/** How a panel answers the calls of its client API about one server. */
import { invalidField, notFound, type PanelAnswer, refusal } from './answers.ts';
import type { ServerAttributes } from './attributes.ts';
import { answerBackup, answerBackups, answerNewBackup, findBackup } from './backup-calls.ts';
import type { EmulatedPanel } from './emulated-panel.ts';
import { answerFileCall, answerFileLink } from './file-calls.ts';
import type { PanelStats } from './node.ts';
import { onNode, readField, type ServerCall } from './server-call.ts';

export function answerServerCall(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const [, uuid, ofBackup = ''] = /^backups\/([^/]+)(\/\w+)?$/.exec(call.rest) ?? [];
  const backup = uuid === undefined ? undefined : findBackup(uuid, call, panel);
  // Looked up before the server's state is judged.
  if (uuid !== undefined && !backup) return notFound();
  const route = backup ? `${call.method} backup${ofBackup}` : `${call.method} ${call.rest}`;
  const conflict = route === 'GET ' ? null : findConflict(call.server, panel);
  const isSocketOpen = route === 'GET websocket' && conflict?.isOfServer;
  if (conflict && !isSocketOpen) return refusal(409, 'ServerStateConflictException', conflict.detail);
  if (backup) return answerBackup(route, { ...call, backup }, panel);
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

function answerView(server: ServerAttributes, { conditions }: EmulatedPanel): PanelAnswer {
  const { identifier, uuid, name, description, limits, feature_limits, node, suspended } = server;
  const status: string | null = server.status;
  const attributes = {
    server_owner: false,
    identifier,
    internal_id: server.id,
    uuid,
    name,
    node: `node${node}`,
    is_node_under_maintenance: conditions.maintainedNodes.has(node),
    sftp_details: { ip: '127.0.0.1', port: 2022 },
    description,
    limits,
    feature_limits,
    status,
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
