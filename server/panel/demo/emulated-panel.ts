/** What an emulated panel knows and can be told, apart from how it answers. */
import type { Clock } from '../../../routers/ports.ts';
import { notFound, type PanelCall } from './answers.ts';
import type { BackupAttributes, ServerAttributes, UserAttributes } from './attributes.ts';
import type { Downloads } from './downloads.ts';
import type { FileTree } from './file-tree.ts';
import type { PanelStats } from './node.ts';

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
  limitWindows: Map<string, LimitWindow>;
  onSignal(identifier: string, signal: string): void;
  onCommand(identifier: string, command: string): void;
}

interface LimitWindow {
  endsAt: number;
  used: number;
}

export type ServerLimit = 'websocket' | 'restore' | 'backups';

/** What the attributes of servers do not tell. */
interface PanelConditions {
  /** Pelican has all of them, as the newest Pterodactyl has; Pterodactyl 1.11 has that of backups alone. */
  serverLimits: Set<ServerLimit>;
  /** Whether a Pterodactyl's nodes are of 2026, as Pelican's are; before, they told less of a refusal. */
  hasNewerNodes: boolean;
  /** Whether the owner of the client key is a root administrator. */
  isClientKeyAdmin: boolean;
  /** Identifiers of servers that are being moved to another node. */
  transferring: Set<string>;
  /** Ids of nodes. */
  maintainedNodes: Set<number>;
  deadNodes: Set<number>;
  /** What the application key may not read. */
  deniedResources: Set<'users' | 'servers' | 'allocations'>;
}

export const inGoodOrder = (): PanelConditions => ({
  serverLimits: new Set(),
  hasNewerNodes: false,
  isClientKeyAdmin: true,
  transferring: new Set(),
  maintainedNodes: new Set(),
  deadNodes: new Set(),
  deniedResources: new Set(),
});

/** As panels are delivered. */
export const deliveredEditBytesMax = 4 * 1024 * 1024;

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

export const unknownRoute = ({ path }: PanelCall, { dialect }: EmulatedPanel) =>
  dialect === 'pelican'
    ? notFound(`The route ${path.slice(1).split('?')[0]} could not be found.`)
    : notFound();

export const findEmulatedServer = (asked: string, { servers }: EmulatedPanel) =>
  [...servers.values()]
    .flat()
    .find(({ identifier, uuid }) => [identifier, uuid].map(fold).includes(fold(asked)));
