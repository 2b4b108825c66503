/** A panel's answers to client API calls about one server: a refusal for its condition, or the demo panel's answer. */
import { notFound, type PanelAnswer, readField, refusal } from '../../../server/panel/demo/answers.ts';
import { findBackup } from '../../../server/panel/demo/backup-calls.ts';
import type { PanelStats } from '../../../server/panel/demo/panel.ts';
import * as demo from '../../../server/panel/demo/server-calls.ts';
import { invalidBody } from './answers.ts';
import type { ServerAttributes } from './attributes.ts';
import { backupOverrides } from './backup-calls.ts';
import { type EmulatedCall, type EmulatedPanel, type Overrides, refuseForNode } from './emulated-panel.ts';
import { fileOverrides } from './file-calls.ts';
import { scheduleOverrides } from './schedule-calls.ts';
import { withinLimit } from './server-limits.ts';

export function answerServerCall(call: EmulatedCall, panel: EmulatedPanel): PanelAnswer {
  const route = demo.routeOf(call);
  // The panel looks it up before it checks the server's state.
  if (route.includes(' backups/:id') && !findBackup(call)) return notFound();
  return withinLimit(route, call, {
    panel,
    answer() {
      const conflict = findConflict(route, call.attributes, panel);
      if (conflict) return refusal(409, 'ServerStateConflictException', conflict);
      return overrides[route]?.(call, panel) ?? demo.answerServerCall(call, panel);
    },
  });
}

/** The conditions that make the panel refuse a call, in the order of its checks. */
function findConflict(route: string, server: ServerAttributes, panel: EmulatedPanel): string | null {
  const { suspended, status, identifier, node } = server;
  const { dialect, conditions } = panel;
  // Pelican always allows an administrator's key to access these.
  const isOpen = /^GET websocket$|^\w+ files\//.test(route) && dialect === 'pelican';
  if (route === 'GET ' || isOpen) return null;
  if (suspended) return 'This server is currently suspended and the functionality requested is unavailable.';
  if (conditions.maintainedNodes.has(node))
    return 'The node of this server is currently under maintenance and the functionality requested is unavailable.';
  // Root administrators may see the console and the startup of a busy server.
  if (route === 'GET websocket' || route === 'GET startup') return null;
  // Pterodactyl counts such a server as installed.
  const isRepair = /^(GET backups|PUT startup|\w+ settings)/.test(route);
  if (isRepair && status === 'reinstall_failed' && dialect === 'pterodactyl') return null;
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

const nothing = { memory_bytes: 0, cpu_absolute: 0, disk_bytes: 0, uptime: 0 };

const missing: PanelStats = {
  current_state: 'missing',
  resources: { ...nothing, network_rx_bytes: 0, network_tx_bytes: 0 },
};

const presentStats = (stats: PanelStats) => ({
  body: { object: 'stats', attributes: { is_suspended: false, ...stats } },
});

const overrides: Overrides = {
  ...fileOverrides,
  ...backupOverrides,
  ...scheduleOverrides,
  'GET ': ({ server, attributes: { identifier, node } }, { conditions }) => ({
    body: {
      object: 'server',
      attributes: {
        ...demo.presentServer(server),
        is_node_under_maintenance: conditions.maintainedNodes.has(node),
        is_transferring: conditions.transferring.has(identifier),
      },
    },
  }),
  // Power and commands do not change the panel's data.
  'GET resources'(call, panel) {
    const { identifier, node } = call.attributes;
    const kept = panel.keptResources.get(identifier);
    if (kept && panel.clock() - kept.measuredAt < resourcesTtlMs) return presentStats(kept.stats);
    // Pelican reports this for a node that does not answer within a second.
    if (panel.dialect === 'pelican' && panel.conditions.deadNodes.has(node)) return presentStats(missing);
    const refused = refuseForNode(call, panel);
    if (!refused)
      panel.keptResources.set(identifier, { stats: call.server.stats(), measuredAt: panel.clock() });
    return refused;
  },
  'POST power': (call, panel) =>
    powerSignals.includes(readField(call, 'signal')) ? refuseForNode(call, panel) : invalidBody(),
  'POST command'(call, panel) {
    if (!readField(call, 'command')) return invalidBody();
    const refused = refuseForNode(call, panel);
    // Pelican ignores its node's answer.
    if (refused || panel.dialect === 'pterodactyl') return refused;
    call.server.enter(String(readField(call, 'command')));
    return { status: 204 };
  },
  /** The test ends the installation. */
  'POST settings/reinstall'(call, panel) {
    const refused = refuseForNode(call, panel);
    if (refused) return refused;
    call.attributes.status = 'installing';
    return { status: 202 };
  },
};

const powerSignals: readonly unknown[] = ['start', 'stop', 'restart', 'kill'];
