/** The provisioning panel as procedures need it, as an interface that server/panel implements. */
import type { ShownEncoding } from './files/text.ts';

export const powerSignals = ['start', 'stop', 'restart'] as const;
export type PowerSignal = (typeof powerSignals)[number];

/** A game server as the provisioning panel describes it, reduced to what the contract may show. */
export interface PanelServer {
  id: number;
  uuid: string;
  /** The short UUID that names the server in the panel's client API and in our power endpoint. */
  identifier: string;
  /** The machine it is on and the panel user it belongs to, by which calls are kept apart; never shown. */
  nodeId: number | null;
  /** Whether its panel accepts commands while it is off, and drops them; never shown. */
  acceptsCommandsWhenOff: boolean;
  /** Whether its container looks like a Java edition of Minecraft. Never shown. */
  suggestsMinecraft: boolean;
  ownerId: number;
  name: string;
  description: string;
  /** The panel's own word, such as installing; null when nothing is unusual. Never the run state. */
  status: string | null;
  isSuspended: boolean;
  /** Memory, swap and disk in MiB, cpu in percent of one core (0: unlimited), io as a block-I/O weight. */
  limits: Record<'memory' | 'swap' | 'disk' | 'io' | 'cpu', number | null> & {
    threads: string | null;
    oomDisabled: boolean | null;
  };
  featureLimits: Record<'databases' | 'allocations' | 'backups', number | null>;
  /** The kind of panel it is from, such as "pterodactyl". */
  kind: string;
  /** Where its owner manages it in a browser. */
  panelUrl: string | null;
  /** RFC 3339 in UTC. */
  createdAt: string | null;
  updatedAt: string | null;
  /** Where players connect; empty where the panel does not say. */
  allocations: PanelAllocation[];
}

declare const isOwned: unique symbol;

/** A server from the list of its owner. Only `owned-server.ts` makes one, so a call without a check of ownership does not compile. */
export type OwnedServer = PanelServer & { readonly [isOwned]: true };

export interface PanelAllocation {
  ip: string;
  /** A host name to show instead of the IP address. */
  alias: string | null;
  port: number;
  isDefault: boolean;
}

export interface PanelUserQuery {
  externalId: string;
  email: string;
}

export interface PanelServerList {
  /** The panel user with this id; null: there is none. */
  owner: { externalId: string | null; email: string } | null;
  servers: PanelServer[];
}

export const runStates = ['running', 'starting', 'stopping', 'offline'] as const;

/** What a server does and uses now; figures are null where the state is unknown. */
export interface PanelResources {
  state: (typeof runStates)[number] | 'unknown';
  /** A sentence for the caller where the state is unknown; null otherwise. */
  reason: string | null;
  memoryBytes: number | null;
  /** Of one core. */
  cpuPercent: number | null;
  diskBytes: number | null;
  networkRxBytes: number | null;
  networkTxBytes: number | null;
  uptimeMs: number | null;
  /** Milliseconds since the epoch; of what the panel had kept, the earliest moment that it can be of. */
  measuredAt: number;
}

/** What a server's console shows. */
export interface PanelConsole {
  state: PanelResources['state'];
  /** A sentence for the caller where the state is unknown; null otherwise. */
  reason: string | null;
  /** The newest lines, oldest first, cleaned and bounded; none while the server is off. */
  lines: readonly string[];
  /** Milliseconds since the epoch. */
  readAt: number;
}

export interface PanelBackup {
  uuid: string;
  name: string;
  bytes: number;
  /** With its algorithm before a colon; null until the backup is done. */
  checksum: string | null;
  isSuccessful: boolean;
  isLocked: boolean;
  /** RFC 3339 in UTC. */
  createdAt: string;
  /** Null until it is done, successful or not. */
  completedAt: string | null;
}

export interface PanelBackupList {
  /** Newest first. */
  backups: readonly PanelBackup[];
  /** How many count towards the server's limit. */
  total: number;
}

export interface BackupCreation {
  /** Undefined: the panel names it by the time. */
  name: string | undefined;
  /** When an earlier try began that may have created it, which is looked for first; null: there was none. */
  earlierTryAt: Date | null;
}

/** When a caller of a backup is answered. */
export interface BackupWait {
  requestId: string;
  /** Waits until the backup is completed or this is aborted; undefined: not at all. */
  until?: AbortSignal | undefined;
}

export interface BackupRestore {
  uuid: string;
  /** Whether all files of the server are deleted before. */
  deletesFiles: boolean;
  /** Runs it while no other restore of the server begins. */
  runExclusively(begin: () => Promise<void>): Promise<void>;
}

export const taskActions = ['power', 'command', 'backup'] as const;

export interface ScheduleTask {
  /** `other`: what the panel has and this API does not offer. */
  action: (typeof taskActions)[number] | 'other';
  /** The signal, the command, or which files the backup leaves out. */
  payload: string;
  /** After the task before. */
  delaySeconds: number;
  continueOnFailure: boolean;
}

/** What is written of a schedule. */
export interface ScheduleChange {
  name: string;
  /** Five fields with one space between. */
  cron: string;
  onlyWhenOnline: boolean;
  isActive: boolean;
  /** In their order. */
  tasks: readonly ScheduleTask[];
}

export interface PanelSchedule extends ScheduleChange {
  id: number;
  isProcessing: boolean;
  /** RFC 3339 in UTC, as all times here. */
  lastRunAt: string | null;
  nextRunAt: string | null;
  createdAt: string | null;
}

/** With the places of its tasks, by which they are changed. */
export interface StoredSchedule extends PanelSchedule {
  tasks: readonly StoredTask[];
  /** Its name and cron fields as the panel has them, which are sent where they stay. */
  fields: Readonly<Record<'name' | 'minute' | 'hour' | 'day_of_month' | 'month' | 'day_of_week', string>>;
}

export interface StoredTask extends ScheduleTask {
  id: number;
  sequence: number;
}

/** The most that a server may have. */
export const schedulesMax = 25;

/** What lies in a directory of a server; its name is text of others, exactly as it is. */
export interface PanelFile {
  name: string;
  /** A link is never followed; `other` is a pipe, a device or a socket, which is never opened. */
  type: 'file' | 'directory' | 'link' | 'other';
  bytes: number;
  mimeType: string;
  /** RFC 3339 in UTC. */
  modifiedAt: string;
}

export interface PanelFileList {
  /** The first of them, directories before all others, by name. */
  files: readonly PanelFile[];
  isTruncated: boolean;
}

export interface PanelFileContent {
  /** Of the whole file. */
  bytes: number;
  /** Of the whole file, in hexadecimal; null where it was not read whole. */
  sha256: string | null;
  /** The beginning of the text, or its last lines. */
  content: string;
  encoding: ShownEncoding;
  isTruncated: boolean;
}

/** To a backup or a file. */
export interface PanelLink {
  url: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** A try of a write. */
export interface WriteAttempt {
  requestId: string;
  /** Whether an earlier one may have done it: that is looked for first. */
  mayHaveHappened: boolean;
}

export interface FileWrite {
  path: string;
  content: Buffer;
  /** What the file must hold; null: it must not exist. */
  ifSha256?: string | null | undefined;
}

export interface FileFetch {
  path: string;
  /** Where the server's machine gets it. */
  url: string;
  /** One of both, which it must have before it gets its path; in lower-case hexadecimal. */
  sha256?: string | undefined;
  sha512?: string | undefined;
  /** Whether it may take the place of another. */
  replace: boolean;
}

/** What a list of servers is for, which decides how old it may be. */
export type ListPurpose = 'list' | 'detail' | 'ownership' | 'action';

/**
 * The panel that runs the servers. Every failure is thrown as `upstreamFailed(...)` of errors.ts,
 * whose message names no host and repeats no upstream text.
 */
export interface Panel {
  /** The id of the panel user with this external id, or else of the only one with exactly this e-mail address. */
  findUserId(user: PanelUserQuery, requestId: string): Promise<number | null>;
  /** The servers of one panel user; none when the panel does not know the user. */
  listServers(panelUserId: number, requestId: string, purpose?: ListPurpose): Promise<PanelServerList>;
  /**
   * Whether another server of the same node may have this port at this address. The answer is kept for minutes; no customer pays
   * for the call.
   * @param address `ip` is null where it may be any of the node's
   */
  mayHaveOtherServerAt(server: OwnedServer, address: { ip: string | null; port: number }): Promise<boolean>;
  /** The live state of a server, at most seconds old. The caller has proved ownership. */
  getResources(server: OwnedServer, requestId: string): Promise<PanelResources>;
  /**
   * The live states of one owner's servers, in their order, each at most seconds old. What is not to be had within
   * seconds is `unknown`, whatever failed.
   * @param ageMsMax how old they may be; 0: each is asked for now, where the panel's rate limit allows it
   */
  getStates(servers: readonly OwnedServer[], requestId: string, ageMsMax?: number): Promise<PanelResources[]>;
  /** Whether a server is known to be off now. */
  isOff(server: OwnedServer, requestId: string): Promise<boolean>;
  /** The console of a server of the caller's, at most seconds old, and the same for all who ask meanwhile. */
  readConsole(server: OwnedServer, requestId: string): Promise<PanelConsole>;
  /**
   * Hands a signal to the panel, once; never retried, because restart is not idempotent.
   * The caller has proved ownership. Throws notFound('Server') when the panel no longer has the server.
   */
  sendPower(server: OwnedServer, signal: PowerSignal, requestId: string): Promise<void>;
  /** At most seconds old. The caller has proved ownership, as for all that follow. */
  listBackups(server: OwnedServer, requestId: string): Promise<PanelBackupList>;
  /**
   * Starts a backup, once. Throws badRequest when the server has all it may have, and `rate_limited` when the panel
   * limits how often.
   */
  createBackup(server: OwnedServer, creation: BackupCreation, requestId: string): Promise<PanelBackup>;
  /**
   * A backup, at most seconds old. All who wait for backups of one server share one look at the panel at a time; where
   * it fails meanwhile, the backup is as it was last known. Throws notFound('Backup').
   */
  getBackup(server: OwnedServer, uuid: string, wait: BackupWait): Promise<PanelBackup>;
  /** Throws badRequest for a locked backup. */
  deleteBackup(server: OwnedServer, uuid: string, attempt: WriteAttempt): Promise<void>;
  /**
   * Begins to restore a backup over the server's files, once. Throws badRequest when the backup is not completed or has
   * failed, and when the server is busy or not known to be stopped.
   */
  restoreBackup(server: OwnedServer, restore: BackupRestore, requestId: string): Promise<void>;
  /** A link signed by the panel, which lets anyone who has it download the backup: never cached, logged or traced. */
  getBackupLink(server: OwnedServer, uuid: string, requestId: string): Promise<PanelLink>;
  /** Sends a line to the server's console, once. Throws badRequest when the server is known to be stopped. */
  sendCommand(server: OwnedServer, command: string, requestId: string): Promise<void>;
  /** At most seconds old, by id. */
  listSchedules(server: OwnedServer, requestId: string): Promise<readonly PanelSchedule[]>;
  /** As it is now. Throws notFound('Schedule'). */
  getSchedule(server: OwnedServer, id: number, requestId: string): Promise<StoredSchedule>;
  /**
   * Nothing is left of one that fails, or it is switched off, as the message says. Throws badRequest for times that the panel
   * does not know, and where the server has `schedulesMax`; the caller keeps other writers away, here and below.
   * @param creation `earlierTryAt`: when an earlier try began that may have created it, which is looked for first
   */
  createSchedule(
    server: OwnedServer,
    creation: { wanted: ScheduleChange; earlierTryAt: Date | null },
    requestId: string,
  ): Promise<PanelSchedule>;
  /** By the difference. One that fails after its first call is left switched off, as the message says. */
  replaceSchedule(
    server: OwnedServer,
    replacement: { current: StoredSchedule; wanted: ScheduleChange },
    requestId: string,
  ): Promise<PanelSchedule>;
  deleteSchedule(server: OwnedServer, id: number, attempt: WriteAttempt): Promise<void>;
  /**
   * Once. The caller has looked at its tasks. Throws badRequest for one that begins with a command, where the server is known to be
   * stopped.
   */
  runSchedule(server: OwnedServer, schedule: PanelSchedule, requestId: string): Promise<void>;
  /**
   * Throws notFound('Directory'), and badRequest where nothing is named `after`, the name of an entry: those that come after it.
   * Paths are absolute below the server's root, and have been judged, here and below.
   */
  listFiles(
    server: OwnedServer,
    query: { directory: string; after?: string | undefined },
    requestId: string,
  ): Promise<PanelFileList>;
  /**
   * Throws notFound('File'), and badRequest for what is no text, no file or too large.
   * @param query `tail`: so many of the last lines, in place of the beginning
   */
  readFile(
    server: OwnedServer,
    query: { path: string; tail?: number | undefined },
    requestId: string,
  ): Promise<PanelFileContent>;
  /** Throws conflict where the file holds something else; the caller keeps other writers away. */
  writeFile(server: OwnedServer, write: FileWrite, attempt: WriteAttempt): Promise<{ isNew: boolean }>;
  /**
   * Has the server's machine get a file. Throws conflict where something is there that is not replaced, bad_request where the
   * file is another one or too large, and `rate_limited`; the caller keeps other writers away.
   */
  fetchFile(
    server: OwnedServer,
    fetch: FileFetch,
    attempt: WriteAttempt,
  ): Promise<{ isNew: boolean; bytes: number; sha256: string }>;
  /** Throws conflict where something is at the new path. */
  moveFile(server: OwnedServer, move: { from: string; to: string }, attempt: WriteAttempt): Promise<void>;
  /** All or, where one of them does not exist, none; throws badRequest where the host does not allow all of them. */
  deleteFiles(server: OwnedServer, paths: readonly string[], attempt: WriteAttempt): Promise<void>;
  /** Throws conflict where something is there. */
  createDirectory(server: OwnedServer, path: string, attempt: WriteAttempt): Promise<void>;
  /** Like a backup's link. */
  getFileLink(server: OwnedServer, path: string, requestId: string): Promise<PanelLink>;
}
