/** The data and settings of an emulated panel, without its answers. */
import { type PanelAnswer, refusal } from '../../../server/panel/demo/answers.ts';
import type * as demo from '../../../server/panel/demo/panel.ts';
import { panelStartup, type ServerAttributes, type UserAttributes } from './attributes.ts';
import type { FileTree } from './file-tree.ts';

export interface EmulatedPanel extends demo.Panel {
  dialect: 'pterodactyl' | 'pelican';
  applicationKey: string;
  clientKey: string;
  /** By the id of the panel user who owns them. */
  servers: Map<number, ServerAttributes[]>;
  /** Users besides those that own servers. */
  users: UserAttributes[];
  /** By the server's identifier, oldest first. */
  backups: Map<string, demo.BackupAttributes[]>;
  /** By the server's identifier. */
  schedules: Map<string, demo.ScheduleAttributes[]>;
  /** By the server's identifier, created when first used. */
  startups: Map<string, demo.Startup>;
  conditions: PanelConditions;
  rateLimitOf(api: EmulatedApi): { limit: number; remaining: number };
  backupUrl(): string;
  filesOf(server: ServerAttributes): FileTree;
  /** The panel's operator sets this limit: the panel does not read larger files. */
  fileEditBytesMax: number;
  statsOf(server: ServerAttributes): demo.PanelStats;
  linesOf(server: ServerAttributes): readonly string[];
  /** The panel's cached figures for its call `resources`, by the server's identifier. */
  keptResources: Map<string, { stats: demo.PanelStats; measuredAt: number }>;
  /** The windows of limits that count per server, by the limit and the server's identifier. */
  limitWindows: Map<string, { endsAt: number; used: number }>;
  /** Lets a node fetch a file. Returns null when it does, or the status of an immediate refusal. */
  onPull(tree: FileTree, path: string, url: string): number | 'source failed' | null;
  onSignal(identifier: string, signal: string): void;
  onCommand(identifier: string, command: string): void;
}

export interface EmulatedAnswer extends PanelAnswer {
  /** Pelican refuses some calls before it counts them, so their answers have no limit headers. */
  isUncounted?: boolean;
}

export interface EmulatedCall extends demo.ReceivedServerRequest {
  attributes: ServerAttributes;
}

/** A panel's answer where it differs from the demo panel's; null: the same answer. */
export type Override = (call: EmulatedCall, panel: EmulatedPanel) => PanelAnswer | null;

/** By the routes of the demo panel. */
export type Overrides = Partial<Record<string, Override>>;

/** A server as the demo panel's calls see it. */
export const toGameServer = (attributes: ServerAttributes, panel: EmulatedPanel): demo.GameServer => ({
  attributes,
  get backups() {
    return panel.backups.get(attributes.identifier) ?? [];
  },
  set backups(all) {
    panel.backups.set(attributes.identifier, all);
  },
  get schedules() {
    return panel.schedules.get(attributes.identifier) ?? [];
  },
  set schedules(all) {
    panel.schedules.set(attributes.identifier, all);
  },
  get startup() {
    const startup = panel.startups.get(attributes.identifier) ?? panelStartup();
    panel.startups.set(attributes.identifier, startup);
    return startup;
  },
  get files() {
    return panel.filesOf(attributes);
  },
  stats: () => panel.statsOf(attributes),
  lines: () => panel.linesOf(attributes),
  signal: (word) => panel.onSignal(attributes.identifier, word),
  enter: (command) => panel.onCommand(attributes.identifier, command),
});

export type ServerLimit = 'websocket' | 'restore' | 'backups' | 'schedules' | 'pulls';

/** Conditions beyond the attributes of servers. */
export const createHealthyConditions = () => ({
  /** Pelican and the newest Pterodactyl have all of them; Pterodactyl 1.11 has only that of backups. */
  serverLimits: new Set<ServerLimit>(),
  /** Whether a Pterodactyl's nodes are of 2026, as Pelican's are; older ones explain refusals less. */
  hasNewerNodes: false,
  isClientKeyAdmin: true,
  /** Identifiers of servers that are being moved to another node. */
  transferring: new Set<string>(),
  /** Ids of nodes. */
  maintainedNodes: new Set<number>(),
  deadNodes: new Set<number>(),
  /** Identifiers of servers. */
  fullDisks: new Set<string>(),
  /** How many pulls are in progress, by the server's identifier. */
  pulls: new Map<string, number>(),
  /** Resources that the application key cannot read. */
  deniedResources: new Set<'users' | 'servers' | 'allocations'>(),
});

type PanelConditions = ReturnType<typeof createHealthyConditions>;

/** The data of a freshly installed panel, before it has servers. */
export const createState = () => ({
  users: [],
  backups: new Map(),
  schedules: new Map(),
  startups: new Map(),
  keptResources: new Map(),
  limitWindows: new Map(),
  conditions: createHealthyConditions(),
  fileEditBytesMax: 4 * 1024 * 1024,
});

export type EmulatedApi = 'application' | 'client';

const deliveredLimits = {
  pterodactyl: { application: 240, client: 720 },
  pelican: { application: 256, client: 256 },
};

/** The default limits of panels, per minute; the remaining count never decreases. */
export function fullRateLimitOf(dialect: EmulatedPanel['dialect'], api: EmulatedApi) {
  const limit = deliveredLimits[dialect][api];
  return { limit, remaining: limit - 1 };
}

/** Some panels' databases compare text without case, and treat some letters as equal. */
export const fold = (text: string) => text.normalize('NFKC').toLowerCase();

export const findEmulatedServer = (asked: string, { servers }: EmulatedPanel) =>
  [...servers.values()]
    .flat()
    .find(({ identifier, uuid }) => [identifier, uuid].map(fold).includes(fold(asked)));

/** The next id after the panel's last one, over all servers. */
export function findNewId(kind: 'schedule' | 'task', { schedules }: EmulatedPanel): number {
  const all = [...schedules.values()].flat();
  const known = kind === 'schedule' ? all : all.flatMap(({ tasks }) => tasks);
  return Math.max(0, ...known.map(({ id }) => id)) + 1;
}

/** The refusal of a call that needs the server's node, or null when the node answers. */
export const refuseForNode: Override = ({ attributes }, panel) =>
  panel.conditions.deadNodes.has(attributes.node) ? noAnswerOfNode(panel) : null;

export const noAnswerOfNode = ({ dialect }: EmulatedPanel) =>
  dialect === 'pelican' ? refusal(500, 'ConnectionException') : refusal(504, 'DaemonConnectionException');
