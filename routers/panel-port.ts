/**
 * The interface to the provisioning panel; server/panel implements it. Times are RFC 3339 text in UTC, or numbers:
 * milliseconds since the epoch. A `reason` is a sentence for the caller, and null unless the state is unknown.
 */
import type { ShownEncoding } from './files/text.ts';
import type { VariableRules } from './servers/variable-rules.ts';

export const powerSignals = ['start', 'stop', 'restart'] as const;
export type PowerSignal = (typeof powerSignals)[number];

/** The panel's description of a game server, reduced to the fields that the contract allows. */
export interface PanelServer {
  id: number;
  uuid: string;
  /** The short UUID that names the server in the panel's client API and in the paths of this API. */
  identifier: string;
  /** The machine that runs the server. Limits on calls apply per machine and per `ownerId`; callers see neither. */
  nodeId: number | null;
  /** Whether the panel accepts commands for a stopped server and drops them. Never shown. */
  acceptsCommandsWhenOff: boolean;
  /** Whether its container looks like Minecraft, Java edition. Never shown. */
  suggestsMinecraft: boolean;
  /** The container's image and the program that it starts, without arguments. Never shown. */
  program: string;
  ownerId: number;
  name: string;
  description: string;
  /** The panel's own word, such as installing; null if nothing is unusual. Never the run state. */
  status: string | null;
  isSuspended: boolean;
  /** Memory, swap and disk in MiB, cpu in percent of one core (0: unlimited), io as a block-I/O weight. */
  limits: Record<'memory' | 'swap' | 'disk' | 'io' | 'cpu', number | null> & {
    threads: string | null;
    oomDisabled: boolean | null;
  };
  featureLimits: Record<'databases' | 'allocations' | 'backups', number | null>;
  kind: string;
  panelUrl: string | null;
  createdAt: string | null;
  updatedAt: string | null;
  /** Where players connect; empty if the panel does not list any. */
  allocations: PanelAllocation[];
}

declare const isOwned: unique symbol;

/** Only `owned-server.ts` makes one, so a call without an ownership check does not compile. */
export type OwnedServer = PanelServer & { readonly [isOwned]: true };

export interface PanelAllocation {
  ip: string;
  alias: string | null;
  port: number;
  isDefault: boolean;
}

export interface PanelUserQuery {
  externalId: string;
  email: string;
}

export interface PanelServerList {
  owner: { externalId: string | null; email: string } | null;
  servers: PanelServer[];
}

export const runStates = ['running', 'starting', 'stopping', 'offline'] as const;

/** The live state and usage of a server. The figures are null if the state is unknown. */
export interface PanelResources {
  state: (typeof runStates)[number] | 'unknown';
  reason: string | null;
  memoryBytes: number | null;
  /** 100 is one core. */
  cpuPercent: number | null;
  diskBytes: number | null;
  networkRxBytes: number | null;
  networkTxBytes: number | null;
  uptimeMs: number | null;
  /** If the panel's cache gave the figures, this is the earliest time at which they can have been measured. */
  measuredAt: number;
}

export interface PanelConsole {
  state: PanelResources['state'];
  reason: string | null;
  /** The newest lines, oldest first, cleaned and bounded. Empty while the server is off. */
  lines: readonly string[];
  readAt: number;
}

export interface PanelBackup {
  uuid: string;
  name: string;
  bytes: number;
  /** The algorithm, a colon and the digest; null until the backup is completed. */
  checksum: string | null;
  isSuccessful: boolean;
  isLocked: boolean;
  createdAt: string;
  /** Null while the backup is in progress. A failed backup is completed too. */
  completedAt: string | null;
}

export interface PanelBackupList {
  backups: readonly PanelBackup[];
  total: number;
}

export interface BackupCreation {
  /** Undefined: the panel names it after the time. */
  name: string | undefined;
  /** When an earlier try began that may have created the backup, so the panel is searched first. Null: no earlier try. */
  earlierTryAt: Date | null;
}

export interface BackupWait {
  requestId: string;
  /** Waits until the backup is completed or this signal aborts. Undefined: does not wait. */
  until?: AbortSignal | undefined;
}

/** Waits for the turn of this write, and keeps others out while it runs. @throws if the turn does not come */
export type RunExclusively = <Result>(write: () => Promise<Result>) => Promise<Result>;

export interface BackupRestore {
  uuid: string;
  deletesFiles: boolean;
  runExclusively: RunExclusively;
}

export const taskActions = ['power', 'command', 'backup'] as const;

export interface ScheduleTask {
  /** `other`: an action of the panel that this API does not offer. */
  action: (typeof taskActions)[number] | 'other';
  /** The signal, the command, or the files that the backup leaves out. */
  payload: string;
  delaySeconds: number;
  continueOnFailure: boolean;
}

export interface ScheduleChange {
  name: string;
  cron: string;
  onlyWhenOnline: boolean;
  isActive: boolean;
  tasks: readonly ScheduleTask[];
}

export interface PanelSchedule extends ScheduleChange {
  id: number;
  isProcessing: boolean;
  lastRunAt: string | null;
  nextRunAt: string | null;
  createdAt: string | null;
}

export interface StoredSchedule extends PanelSchedule {
  tasks: readonly StoredTask[];
  /** The panel's exact texts. A change sends them back for the values that it does not change. */
  fields: Readonly<Record<'name' | 'minute' | 'hour' | 'day_of_month' | 'month' | 'day_of_week', string>>;
}

export interface StoredTask extends ScheduleTask {
  id: number;
  sequence: number;
}

export const schedulesMax = 25;

export interface PanelVariable {
  name: string;
  title: string;
  description: string;
  /** Exactly as the panel has it; the default if the server has no value. */
  value: string;
  default: string;
  isEditable: boolean;
  rules: VariableRules;
}

export interface PanelStartup {
  /** With the values in it. */
  command: string;
  image: string;
  images: { name: string; image: string }[];
  /** False if an administrator set an image that the game does not offer. */
  canChangeImage: boolean;
  variables: readonly PanelVariable[];
}

/** Only what differs from the current startup. */
export interface StartupDifference {
  values: ReadonlyMap<string, string>;
  image: string | null;
}

export interface StartupChange {
  /** Throws to refuse the change before the first write. */
  decide(current: PanelStartup): StartupDifference;
  runExclusively: RunExclusively;
}

/** An entry of a directory. Other people chose its name, which is not sanitized here. */
export interface PanelFile {
  name: string;
  /** Links are never followed. `other` is a pipe, a device or a socket, which is never opened. */
  type: 'file' | 'directory' | 'link' | 'other';
  bytes: number;
  mimeType: string;
  modifiedAt: string;
}

export interface PanelFileList {
  /** One page: directories before everything else, each sorted by name. */
  files: readonly PanelFile[];
  isTruncated: boolean;
}

export interface PanelFileContent {
  /** The size of the whole file. */
  bytes: number;
  /** The hash of the whole file in hexadecimal; null if only a part was read. */
  sha256: string | null;
  content: string;
  encoding: ShownEncoding;
  isTruncated: boolean;
}

export interface PanelLink {
  url: string;
  expiresAt: number;
}

export interface WriteAttempt {
  requestId: string;
  /** Whether an earlier attempt may have succeeded: the panel is checked first. */
  mayHaveHappened: boolean;
}

export interface FileWrite {
  path: string;
  content: Buffer;
  /** The hash that the file must have now. Null: the file must not exist. */
  ifSha256?: string | null | undefined;
}

export interface FileFetch {
  path: string;
  url: string;
  /** Callers set one of the two, in lower-case hexadecimal. The file moves to its path only if the hash matches. */
  sha256?: string | undefined;
  sha512?: string | undefined;
  replace: boolean;
}

/** The purpose decides how old a list of servers may be. */
export type ListPurpose = 'list' | 'detail' | 'ownership' | 'action';

/**
 * Every failure is thrown as `upstreamFailed(...)` of errors.ts, whose message names no host and repeats no upstream text.
 * Reads are at most seconds old unless stated. A call about a missing resource throws notFound, and a write to a taken path
 * throws conflict.
 */
export interface Panel {
  /** Finds a panel user by external id, or else by exactly this e-mail address if only one panel user has it. */
  findUserId(user: PanelUserQuery, requestId: string): Promise<number | null>;
  listServers(panelUserId: number, requestId: string, purpose?: ListPurpose): Promise<PanelServerList>;
  /**
   * Whether another server of the same node might use this port at this address. The result is cached for minutes, and the
   * call counts toward no customer's limit.
   * @param address `ip` is null if it can be any address of the node
   */
  mayHaveOtherServerAt(server: OwnedServer, address: { ip: string | null; port: number }): Promise<boolean>;
  getResources(server: OwnedServer, requestId: string): Promise<PanelResources>;
  /**
   * Resolves to states in the order of `servers`, which have one owner.
   * @param ageMsMax 0: reads each now if the rate limit allows
   */
  getStates(servers: readonly OwnedServer[], requestId: string, ageMsMax?: number): Promise<PanelResources[]>;
  isOff(server: OwnedServer, requestId: string): Promise<boolean>;
  /** Concurrent callers share one read. */
  readConsole(server: OwnedServer, requestId: string): Promise<PanelConsole>;
  /** Sent once and never retried, because restart is not idempotent. */
  sendPower(server: OwnedServer, signal: PowerSignal, requestId: string): Promise<void>;
  listBackups(server: OwnedServer, requestId: string): Promise<PanelBackupList>;
  /**
   * Sent once. Throws badRequest at the server's backup limit, and rate_limited if the panel limits how often it backs up.
   */
  createBackup(server: OwnedServer, creation: BackupCreation, requestId: string): Promise<PanelBackup>;
  /** Callers who wait for a server share one poll of the panel. If a poll fails, the last known state is returned. */
  getBackup(server: OwnedServer, uuid: string, wait: BackupWait): Promise<PanelBackup>;
  /** Throws badRequest for a locked backup. */
  deleteBackup(server: OwnedServer, uuid: string, attempt: WriteAttempt): Promise<void>;
  /** Sent once. Throws badRequest for an incomplete or failed backup, or a server that is busy or might be running. */
  restoreBackup(server: OwnedServer, restore: BackupRestore, requestId: string): Promise<void>;
  /** The panel signs the link, and anyone who has it can download the backup. It is never cached, logged or traced. */
  getBackupLink(server: OwnedServer, uuid: string, requestId: string): Promise<PanelLink>;
  /** Sent once. Throws badRequest if the server is known to be stopped. */
  sendCommand(server: OwnedServer, command: string, requestId: string): Promise<void>;
  listSchedules(server: OwnedServer, requestId: string): Promise<readonly PanelSchedule[]>;
  /** Never cached. */
  getSchedule(server: OwnedServer, id: number, requestId: string): Promise<StoredSchedule>;
  /**
   * A failure leaves nothing behind, or a schedule that is switched off; the message states which. Throws badRequest if the
   * panel rejects the cron expression, or if the server has `schedulesMax`. The caller holds the lease on the server's
   * schedules, as for `replaceSchedule` and `runSchedule`.
   */
  createSchedule(
    server: OwnedServer,
    creation: { wanted: ScheduleChange; earlierTryAt: Date | null },
    requestId: string,
  ): Promise<PanelSchedule>;
  /** Writes only the difference. A failure after the first call leaves the schedule switched off, and the message says so. */
  replaceSchedule(
    server: OwnedServer,
    replacement: { current: StoredSchedule; wanted: ScheduleChange },
    requestId: string,
  ): Promise<PanelSchedule>;
  deleteSchedule(server: OwnedServer, id: number, attempt: WriteAttempt): Promise<void>;
  /**
   * Sent once; the caller has checked the tasks. Throws badRequest if the first task is a command and the server is stopped.
   */
  runSchedule(server: OwnedServer, schedule: PanelSchedule, requestId: string): Promise<void>;
  /** Never cached. */
  getStartup(server: OwnedServer, requestId: string): Promise<PanelStartup>;
  /** Makes all changes, or puts back those that were made; if that fails too, the message names what may have stayed. */
  changeStartup(server: OwnedServer, change: StartupChange, requestId: string): Promise<PanelStartup>;
  /**
   * Sent once. Throws badRequest for a backup that cannot be used, and conflict if a backup is in progress.
   * @param reinstall `backup`: the uuid of a recent backup; null: without one
   */
  reinstall(
    server: OwnedServer,
    reinstall: { backup: string | null; runExclusively: RunExclusively },
    requestId: string,
  ): Promise<void>;
  /**
   * Lists the entries after the one named `after`. Throws badRequest if no entry has this name. Here and below, paths are
   * absolute and validated.
   */
  listFiles(
    server: OwnedServer,
    query: { directory: string; after?: string | undefined },
    requestId: string,
  ): Promise<PanelFileList>;
  /**
   * `tail` returns the last lines, not the beginning. Throws badRequest if it is not a text file, or the file is too large.
   */
  readFile(
    server: OwnedServer,
    query: { path: string; tail?: number | undefined },
    requestId: string,
  ): Promise<PanelFileContent>;
  /** Throws conflict if the file does not have `ifSha256`. The caller holds the lease on the file. */
  writeFile(server: OwnedServer, write: FileWrite, attempt: WriteAttempt): Promise<{ isNew: boolean }>;
  /** The caller holds the lease. Throws conflict for a taken path, badRequest for a wrong hash or size, and rate_limited. */
  fetchFile(
    server: OwnedServer,
    fetch: FileFetch,
    attempt: WriteAttempt,
  ): Promise<{ isNew: boolean; bytes: number; sha256: string }>;
  moveFile(server: OwnedServer, move: { from: string; to: string }, attempt: WriteAttempt): Promise<void>;
  /** Deletes nothing if one of the paths does not exist. Throws badRequest if the host forbids deleting any of them. */
  deleteFiles(server: OwnedServer, paths: readonly string[], attempt: WriteAttempt): Promise<void>;
  createDirectory(server: OwnedServer, path: string, attempt: WriteAttempt): Promise<void>;
  getFileLink(server: OwnedServer, path: string, requestId: string): Promise<PanelLink>;
  /** Takes files for a directory, which need not exist. Throws badRequest if something else has its path. */
  createUploadLink(server: OwnedServer, directory: string, requestId: string): Promise<PanelLink>;
}
