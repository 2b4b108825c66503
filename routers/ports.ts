/** The outside world as procedures see it: what they need, said as interfaces; server/ supplies it. */

/** Milliseconds since the epoch. A part, so that tests can move time. */
export type Clock = () => number;

/** The limit of calls a minute, which each key has for itself. */
export interface CallLimit {
  perMinute: number;
  /** How many calls a key has left in the minute under way. */
  callsLeft(keyId: string): Promise<number>;
}

/** Slows down whoever tries passwords: failures are counted for each account and for each address they come from. */
export interface SignInThrottle {
  /**
   * Counts a try before its password is looked at.
   * Throws rateLimited() when the account or the address has failed too often, alike for accounts that do not exist.
   */
  count(attempt: SignInAttempt): Promise<void>;
  /** Takes a try back that turned out right. */
  forgive(attempt: SignInAttempt): Promise<void>;
}

export interface SignInAttempt {
  email: string;
  address: string;
}

export const powerSignals = ['start', 'stop', 'restart'] as const;
export type PowerSignal = (typeof powerSignals)[number];

/** A game server as the provisioning panel describes it, reduced to what the contract may show. */
export interface PanelServer {
  id: number;
  uuid: string;
  /** The short UUID that names the server in the panel's client API and in our power endpoint. */
  identifier: string;
  name: string;
  description: string;
  isSuspended: boolean;
  limits: PanelServerLimits;
  featureLimits: PanelServerFeatureLimits;
  /** Where its owner manages it in a browser. */
  panelUrl: string | null;
  /** ISO 8601 with offset, as the panel wrote it. */
  createdAt: string | null;
  updatedAt: string | null;
}

/** Memory, swap and disk in MiB, cpu in percent of one core (0: unlimited), io as a block-I/O weight. */
export interface PanelServerLimits {
  memory: number | null;
  swap: number | null;
  disk: number | null;
  io: number | null;
  cpu: number | null;
  threads: string | null;
  oomDisabled: boolean | null;
}

export interface PanelServerFeatureLimits {
  databases: number | null;
  allocations: number | null;
  backups: number | null;
}

/**
 * The panel that runs the servers. Every failure is thrown as `upstreamFailed(...)` of errors.ts,
 * whose message names no host and repeats no upstream text.
 */
export interface Panel {
  /** Shown as a server's `type`, e.g. "pterodactyl". */
  readonly kind: string;
  /** The servers of one panel user; empty when the panel does not know the user. */
  listServers(panelUserId: number, requestId: string): Promise<PanelServer[]>;
  /**
   * Hands a signal to the panel, once; never retried, because restart is not idempotent.
   * The caller has proved ownership. Throws notFound('Server') when the panel no longer has the server.
   */
  sendPower(identifier: string, signal: PowerSignal, requestId: string): Promise<void>;
}
