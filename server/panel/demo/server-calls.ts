/** How a panel answers the calls of its client API about one server. */
import { invalidField, notFound, type PanelAnswer, refusal } from './answers.ts';
import type { ServerAttributes } from './attributes.ts';
import { answerBackup, answerBackups, answerNewBackup, findBackup } from './backup-calls.ts';
import { type EmulatedPanel, unknownRoute } from './emulated-panel.ts';
import { answerFileCall, answerFileLink } from './file-calls.ts';
import type { PanelStats } from './node.ts';
import { onNode, readField, type ServerCall } from './server-call.ts';
import { withinLimit } from './server-limits.ts';

export function answerServerCall(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const [, uuid, ofBackup = ''] = /^backups\/([^/]+)(\/\w+)?$/.exec(call.rest) ?? [];
  const backup = uuid === undefined ? undefined : findBackup(uuid, call, panel);
  // Looked up before the server's state is judged.
  if (uuid !== undefined && !backup) return notFound();
  const route = backup ? `${call.method} backup${ofBackup}` : `${call.method} ${call.rest}`;
  const answer = () => {
    const conflict = findConflict(route, call.server, panel);
    if (conflict) return refusal(409, 'ServerStateConflictException', conflict);
    if (backup) return answerBackup(route, { ...call, backup }, panel);
    return answerRoute(route, call, panel);
  };
  return withinLimit(route, call, { panel, answer });
}

function answerRoute(route: string, call: ServerCall, panel: EmulatedPanel): PanelAnswer {
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
      return answerFiles(route, call, panel) ?? unknownRoute(call, panel);
  }
}

function answerFiles(route: string, call: ServerCall, panel: EmulatedPanel): PanelAnswer | null {
  const [, method, rest] = /^(\w+) files\/(.+)$/.exec(route) ?? [];
  if (!rest) return null;
  const { server, query, body, bytes, headers } = call;
  const of = { uuid: server.uuid, host: headers.host ?? '', tree: panel.filesOf(server) };
  const fileCall = { route: `${method} ${rest}`, query, body, bytes, ...of };
  if (fileCall.route === 'GET download') return answerFileLink(fileCall, panel);
  return onNode(call, panel, () => answerFileCall(fileCall, panel) ?? unknownRoute(call, panel));
}

/** What keeps the panel from the call, in the order in which it looks. */
function findConflict(route: string, server: ServerAttributes, panel: EmulatedPanel): string | null {
  const { suspended, status, identifier, node } = server;
  const { dialect, conditions } = panel;
  // Pelican lets an administrator's key through to these always.
  const isOpen = /^GET websocket$|^\w+ files\//.test(route) && dialect === 'pelican';
  if (route === 'GET ' || isOpen) return null;
  const unavailable = 'and the functionality requested is unavailable.';
  if (suspended) return `This server is currently suspended ${unavailable}`;
  if (conditions.maintainedNodes.has(node))
    return `The node of this server is currently under maintenance ${unavailable}`;
  // Root administrators may see the console of a server that is busy.
  if (route === 'GET websocket') return null;
  return conditions.transferring.has(identifier)
    ? 'This server is currently being transferred to a new machine, please try again later.'
    : (busyDetails[String(status)] ?? null);
}

const notInstalled = 'This server has not yet completed its installation process, please try again later.';

const busyDetails: Partial<Record<string, string>> = {
  installing: notInstalled,
  install_failed: notInstalled,
  reinstall_failed: notInstalled,
  restoring_backup: 'This server is currently restoring from a backup, please try again later.',
};

function answerView(server: ServerAttributes, { conditions, dialect }: EmulatedPanel): PanelAnswer {
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
    sftp_details: { ip: '127.0.0.1', port: 2022, ...(dialect === 'pelican' && { alias: null }) },
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
    relationships: relationshipsOf(server),
  };
  const user_permissions = [
    '*',
    'admin.websocket.errors',
    'admin.websocket.install',
    'admin.websocket.transfer',
  ];
  return { body: { object: 'server', attributes, meta: { is_server_owner: false, user_permissions } } };
}

const relationshipsOf = ({ allocation, relationships }: ServerAttributes) => ({
  allocations: {
    object: 'list',
    data: relationships.allocations.data.map(({ attributes: { id, ip, alias, port, notes } }) => ({
      object: 'allocation',
      attributes: { id, ip, ip_alias: alias, port, notes, is_default: id === allocation },
    })),
  },
  variables: { object: 'list', data: [] },
});

const resourcesTtlMs = 20_000;

/** Power and commands leave what the panel keeps as it is. */
function answerResources(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const { identifier } = call.server;
  const kept = panel.keptResources.get(identifier);
  if (kept && panel.clock() - kept.measuredAt < resourcesTtlMs) return presentResources(kept.stats);
  // Pelican says so of a node that does not answer within a second.
  if (panel.dialect === 'pelican' && panel.conditions.deadNodes.has(call.server.node))
    return presentResources(missing);
  return onNode(call, panel, () => {
    const stats = panel.resourcesOf(call.server);
    panel.keptResources.set(identifier, { stats, measuredAt: panel.clock() });
    return presentResources(stats);
  });
}

const missing: PanelStats = {
  current_state: 'missing',
  resources: {
    memory_bytes: 0,
    cpu_absolute: 0,
    disk_bytes: 0,
    network_rx_bytes: 0,
    network_tx_bytes: 0,
    uptime: 0,
  },
};

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
