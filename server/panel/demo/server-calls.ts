/** How a panel answers the calls of its client API about one server. */
import { invalidBody, notFound, type PanelAnswer, readField, refusal } from './answers.ts';
import { answerBackups, answerNewBackup, backupRoutes, findBackup } from './backup-calls.ts';
import {
  type AnswerServerCall,
  type EmulatedPanel,
  onNode,
  type ServerAttributes,
  type ServerCall,
} from './emulated-panel.ts';
import { fileRoutes } from './file-calls.ts';
import type { PanelStats } from './node.ts';
import { answerScheduleCall } from './schedule-calls.ts';
import { withinLimit } from './server-limits.ts';

export function answerServerCall(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const [, uuid, ofBackup = ''] = /^backups\/([^/]+)(\/\w+)?$/.exec(call.rest) ?? [];
  const backup = uuid === undefined ? undefined : findBackup(uuid, call, panel);
  // Looked up before the server's state is judged.
  if (uuid !== undefined && !backup) return notFound();
  const route = `${call.method} ${backup ? `backup${ofBackup}` : call.rest}`;
  return withinLimit(route, call, {
    panel,
    answer() {
      const conflict = findConflict(route, call.server, panel);
      if (conflict) return refusal(409, 'ServerStateConflictException', conflict);
      if (backup) return backupRoutes[route]?.({ ...call, backup }, panel) ?? notFound();
      if (call.rest.startsWith('schedules')) return answerScheduleCall(call, panel);
      return routes[route]?.(call, panel) ?? notFound();
    },
  });
}

/** What keeps the panel from the call, in the order in which it looks. */
function findConflict(route: string, server: ServerAttributes, panel: EmulatedPanel): string | null {
  const { suspended, status, identifier, node } = server;
  const { dialect, conditions } = panel;
  // Pelican lets an administrator's key through to these always.
  const isOpen = /^GET websocket$|^\w+ files\//.test(route) && dialect === 'pelican';
  if (route === 'GET ' || isOpen) return null;
  if (suspended) return 'This server is currently suspended and the functionality requested is unavailable.';
  if (conditions.maintainedNodes.has(node))
    return 'The node of this server is currently under maintenance and the functionality requested is unavailable.';
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

const resourcesTtlMs = 20_000;

/** Power and commands leave what the panel keeps as it is. */
const answerResources: AnswerServerCall = (call, panel) => {
  const { identifier, node } = call.server;
  const kept = panel.keptResources.get(identifier);
  if (kept && panel.clock() - kept.measuredAt < resourcesTtlMs) return presentResources(kept.stats);
  // Pelican says so of a node that does not answer within a second.
  if (panel.dialect === 'pelican' && panel.conditions.deadNodes.has(node)) return presentResources(missing);
  return onNode(() => {
    const stats = panel.resourcesOf(call.server);
    panel.keptResources.set(identifier, { stats, measuredAt: panel.clock() });
    return presentResources(stats);
  })(call, panel);
};

const nothing = { memory_bytes: 0, cpu_absolute: 0, disk_bytes: 0, uptime: 0 };

const missing: PanelStats = {
  current_state: 'missing',
  resources: { ...nothing, network_rx_bytes: 0, network_tx_bytes: 0 },
};

const presentResources = (stats: PanelStats): PanelAnswer => ({
  body: { object: 'stats', attributes: { is_suspended: false, ...stats } },
});

const answerPower: AnswerServerCall = (call, panel) => {
  const signal = String(readField(call, 'signal'));
  if (!['start', 'stop', 'restart', 'kill'].includes(signal)) return invalidBody();
  return onNode(({ server }) => {
    panel.onSignal(server.identifier, signal);
    return { status: 204 };
  })(call, panel);
};

const answerCommand: AnswerServerCall = (call, panel) => {
  const command = readField(call, 'command');
  if (!command) return invalidBody();
  return onNode(({ server }) => {
    const isOffline = panel.resourcesOf(server).current_state === 'offline';
    // Pelican does not look at its node's answer.
    if (isOffline && panel.dialect === 'pterodactyl') return refusal(502, 'HttpException');
    panel.onCommand(server.identifier, String(command));
    return { status: 204 };
  })(call, panel);
};

const routes: Partial<Record<string, AnswerServerCall>> = {
  ...fileRoutes,
  'GET ': ({ server: { identifier, node } }, { conditions }) => ({
    body: {
      object: 'server',
      attributes: {
        identifier,
        is_node_under_maintenance: conditions.maintainedNodes.has(node),
        is_transferring: conditions.transferring.has(identifier),
      },
    },
  }),
  'GET resources': answerResources,
  'GET websocket': ({ server, headers }, panel) => ({
    body: { data: panel.consoleAccess(server, headers.host ?? '') },
  }),
  'POST power': answerPower,
  'POST command': answerCommand,
  'GET backups': answerBackups,
  'POST backups': answerNewBackup(false),
};
