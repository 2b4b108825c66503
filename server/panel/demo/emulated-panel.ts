/** What an emulated panel knows and can be told, apart from how it answers. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../routers/ports.ts';
import { type PanelAnswer, type PanelCall, refusal } from './answers.ts';
import type { FileTree } from './file-tree.ts';
import type { PanelStats } from './node.ts';

export interface UserAttributes {
  id: number;
  external_id: string | null;
  email: string;
  username?: string;
  first_name?: string;
  last_name?: string;
  root_admin?: boolean;
}

/** Fields of a server that the panel itself reads; it sends the others as they are. */
export interface ServerAttributes {
  identifier: string;
  uuid: string;
  name: string;
  user: number;
  node: number;
  nest: number;
  status: string | null;
  suspended: boolean;
  limits: { memory: number; disk: number; cpu: number };
  feature_limits: { backups: number };
  relationships: { allocations: { data: { attributes: { port: number } }[] } };
}

export interface BackupAttributes {
  uuid: string;
  name: string;
  ignored_files: string[];
  checksum: string | null;
  bytes: number;
  is_successful: boolean;
  is_locked: boolean;
  created_at: string;
  completed_at: string | null;
}

export interface TaskAttributes {
  id: number;
  sequence_id: number;
  action: string;
  payload: string;
  time_offset: number;
  is_queued: boolean;
  continue_on_failure: boolean;
}

/** With its tasks, which the panel sends among its relationships. */
export interface ScheduleAttributes {
  id: number;
  name: string;
  cron: Record<'minute' | 'hour' | 'day_of_month' | 'month' | 'day_of_week', string>;
  is_active: boolean;
  is_processing: boolean;
  only_when_online: boolean;
  last_run_at: string | null;
  created_at: string;
  updated_at: string;
  tasks: TaskAttributes[];
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
  /** By the server's identifier. */
  schedules: Map<string, ScheduleAttributes[]>;
  /** In progress. */
  restores: { server: ServerAttributes; endsAt: number }[];
  restoreDurationMs: number;
  conditions: PanelConditions;
  rateLimitOf(api: EmulatedApi): { limit: number; remaining: number };
  backupUrl(uuid: string, host: string): string;
  filesOf(server: ServerAttributes): FileTree;
  /** Links to files. */
  downloads: Downloads;
  /** Larger files the panel does not read, which is its operator's setting. */
  fileEditBytesMax: number;
  /** What admits to the console of a server on its node. */
  consoleAccess(server: ServerAttributes, host: string): { token: string; socket: string };
  resourcesOf(server: ServerAttributes): PanelStats;
  /** What the panel keeps of that for its call `resources`, by the server's identifier. */
  keptResources: Map<string, { stats: PanelStats; measuredAt: number }>;
  /** How often a server was asked for what has a limit of its own, by the limit and the server's identifier. */
  limitWindows: Map<string, { endsAt: number; used: number }>;
  /** Lets a node fetch a file. Returns null when it does so, or the status with which it refuses the pull at once. */
  onPull(tree: FileTree, path: string, url: string): number | 'source failed' | null;
  onSignal(identifier: string, signal: string): void;
  onCommand(identifier: string, command: string): void;
}

export interface ServerCall extends PanelCall {
  server: ServerAttributes;
  /** What follows the identifier in the path; empty for the server itself. */
  rest: string;
  query: URLSearchParams;
}

/** How a panel answers one kind of call about a server. */
export type AnswerServerCall = (call: ServerCall, panel: EmulatedPanel) => PanelAnswer;

export type ServerLimit = 'websocket' | 'restore' | 'backups' | 'schedules' | 'pulls';

/** What the attributes of servers do not tell. */
export const inGoodOrder = () => ({
  /** Pelican has all of them, as the newest Pterodactyl has; Pterodactyl 1.11 has that of backups alone. */
  serverLimits: new Set<ServerLimit>(),
  /** Whether a Pterodactyl's nodes are of 2026, as Pelican's are; before, they told less of a refusal. */
  hasNewerNodes: false,
  /** Whether the owner of the client key is a root administrator. */
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
  /** What the application key may not read. */
  deniedResources: new Set<'users' | 'servers' | 'allocations'>(),
});

type PanelConditions = ReturnType<typeof inGoodOrder>;

/** What a panel as it is delivered knows before it has servers. */
export const createState = () => ({
  users: [],
  backups: new Map(),
  schedules: new Map(),
  restores: [],
  keptResources: new Map(),
  limitWindows: new Map(),
  conditions: inGoodOrder(),
  fileEditBytesMax: 4 * 1024 * 1024,
});

export type EmulatedApi = 'application' | 'client';

const deliveredLimits = {
  pterodactyl: { application: 240, client: 720 },
  pelican: { application: 256, client: 256 },
};

/** As panels are delivered, by the minute; what is left never goes down. */
export function neverUsedUp(dialect: EmulatedPanel['dialect'], api: EmulatedApi) {
  const limit = deliveredLimits[dialect][api];
  return { limit, remaining: limit - 1 };
}

/** Some databases of panels compare text without its case, and take some letters for others. */
export const fold = (text: string) => text.normalize('NFKC').toLowerCase();

export const findEmulatedServer = (asked: string, { servers }: EmulatedPanel) =>
  [...servers.values()]
    .flat()
    .find(({ identifier, uuid }) => [identifier, uuid].map(fold).includes(fold(asked)));

/** Makes it a call for which the panel asks the server's node. */
export const onNode =
  (answer: AnswerServerCall): AnswerServerCall =>
  (call, panel) =>
    panel.conditions.deadNodes.has(call.server.node) ? noAnswerOfNode(panel) : answer(call, panel);

export const noAnswerOfNode = ({ dialect }: EmulatedPanel) =>
  dialect === 'pelican' ? refusal(500, 'ConnectionException') : refusal(504, 'DaemonConnectionException');

const linkLifetimeSeconds = 900;
const linksMax = 100;

export type Downloads = ReturnType<typeof createDownloads>;

/** Links of a node to files and backups, which work once and not for long. */
export function createDownloads(clock: Clock) {
  /** What each token admits to. */
  const unused = new Map<string, string>();
  return {
    /** @param what such as the uuid of a backup */
    admit(what: string): string {
      // In the form of a JSON Web Token, whose end of life the service reads.
      const exp = Math.floor(clock() / 1000) + linkLifetimeSeconds;
      const token = `demo.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.${randomUUID()}`;
      unused.set(token, what);
      for (const oldest of unused.keys()) if (unused.size > linksMax) unused.delete(oldest);
      return token;
    },
    /** What it admits to, now and never again. */
    use(token: string): string | undefined {
      const what = unused.get(token);
      unused.delete(token);
      return what;
    },
  };
}
