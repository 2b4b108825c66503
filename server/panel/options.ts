/** Options of the panel client: the required ones, and the tunable ones with their defaults and reasons. */
import type { ServerChanges } from '../../models/server-change.ts';
import type { Leases } from '../../models/stores.ts';
import { turnMsMax } from '../../routers/files/leases.ts';
import type { Clock } from '../../routers/ports.ts';
import type { Limiter } from '../limit/limiter.ts';
import type { ConsoleReadOutcome, OnOutcome, PanelApi } from './failures.ts';

export const panelDefaults = {
  /** For one attempt of a read. A list touches no node, so a healthy panel needs far less. */
  readTimeoutMs: 5_000,
  readTotalMs: 8_000,
  /** A read is retried after a lost connection or a 5xx. */
  readRetries: 2,
  retryDelayMs: 200,
  /** For one call of the client API. The panel waits up to 15 s for a node, and must not be blamed for that wait. */
  clientTimeoutMs: 20_000,
  /** How long an idle connection of the client API is reused: servers usually keep theirs for seconds. */
  clientIdleMs: 500,
  /** Longer responses are refused unread: no user has that many servers. */
  responseBytesMax: 8 * 1024 * 1024,
  listTtlMs: 5_000,
  listsMax: 2_000,
  /** The maximum age of a list of backups while one is in progress. */
  progressTtlMs: 3_000,
  /** Concurrent calls that need a node, in this process: a panel has five workers by default. */
  nodeCalls: 4,
  /** How long a call waits in the gate. */
  queueMs: 3_000,
  /** A node is slow after this time without an answer. */
  slowMs: 3_000,
  /** How long a slow node gets no calls; doubled each time it is slow again. */
  pauseMs: { shortest: 5_000, longest: 60_000 },
  /** A caller waits at most 25 s, including the list of servers before the write. */
  writeWaitMs: 17_000,
  /** Also for backups and their links. A live state that arrives later is unknown to its caller. */
  liveWaitMs: 3_000,
  consoleWaitMs: 7_000,
  consoleTimes: {
    handshakeMs: 2_000,
    /** Until the node has authenticated us and sent the server's state. */
    authMs: 1_500,
    /** A server that has written nothing sends nothing. */
    firstLineMs: 1_000,
    /** Nothing marks the end of the lines: they count as complete after this long without one. */
    quietMs: 300,
    /** From the first line on: a busy server is never quiet. */
    burstMs: 1_500,
    wholeMs: 4_500,
  },
  /** Covers all calls that one read of files needs. */
  fileWaitMs: 7_000,
  /** Includes the checks before the write. A caller waits at most 25 s, including the list of servers and the wait for a turn. */
  fileWriteWaitMs: 14_000,
  /** A caller waits at most 25 s, including the list of servers and the wait for a turn. */
  scheduleWaitMs: 9_000,
  /** Includes the wait for a turn. Without a failure, a change of one variable takes four calls. */
  startupWaitMs: 20_000,
  /** To put back a change that failed. A caller waits at most 55 s, including the list of servers. */
  putBackMs: 25_000,
  /** How long a node may take to fetch a file from an address. The panel gives up after 15 s, but the node may continue. */
  pullWaitMs: 20_000,
  /** The pause between two checks of an unfinished download; doubled each time. */
  pullPausesMs: { first: 300, longest: 3_000 },
  /** Enough to fetch and check 128 MiB. A caller waits at most 45 s, including the list of servers and the wait for a turn. */
  fetchWaitMs: 34_000,
  /** Fetches of one customer per five minutes. */
  pullsPerCustomer: 3,
  /** The share of the panel's rate limit that reads leave to power and other writes. */
  reservedShare: 0.25,
  /** Panel calls of a customer per minute, in addition to one for each of its servers; 0: unlimited. */
  callsPerCustomer: 90,
  /** Consecutive outages that open the circuit. */
  failureThreshold: 5,
  /** How long the circuit stays open before one call probes the panel. */
  resetTimeoutMs: 10_000,
  /** How often to check whether the panel works again, while the calls of customers do not show it. */
  checkAgainMs: 30_000,
};

export type PanelTunables = typeof panelDefaults;

/** A fetch may still make these moves after its caller has an answer: the old file away, the new one in, the old one back. */
const lastMoves = 3;
const spareMs = 5_000;

/** Longer than the longest call, a fetch of a file, so that no retry takes over a running call. */
export const leasesOf = ({ readTotalMs, fetchWaitMs, queueMs, clientTimeoutMs }: PanelTunables): Leases => ({
  claimMs: readTotalMs + turnMsMax + fetchWaitMs + spareMs,
  fileMs: fetchWaitMs + lastMoves * (queueMs + clientTimeoutMs),
});

export type TraceCall = <Response extends { status: number }>(
  traced: { api: PanelApi; method: 'GET' | 'POST' | 'PUT' | 'DELETE' },
  call: (headers: Record<string, string>) => Promise<Response>,
) => Promise<Response>;

/** How processes share which servers got a signal or a command. */
export type SharedChanges = Pick<ServerChanges, 'record' | 'listNew'>;

export interface PterodactylPanelOptions extends Partial<PanelTunables> {
  /** Base URL, including the path if the panel is served under one. */
  url: string;
  /** The URL that customers see, if it differs from `url`. */
  publicUrl?: string | undefined;
  kind: string;
  /** `ptla_...` or `papp_...`; only for reads. */
  applicationKey: string;
  /** `ptlc_...` or `pacc_...` of a root admin: live state, backups, power and commands, on any server. */
  clientKey: string;
  clock: Clock;
  log: Record<'error' | 'warn', (fields: object, message: string) => void>;
  onOutcome?: OnOutcome;
  onConsoleRead?: ((outcome: ConsoleReadOutcome) => void) | undefined;
  traceCall?: TraceCall | undefined;
  sharedChanges?: SharedChanges | undefined;
  /** Finds our user who is linked to a panel user, so that a warning can name them. */
  findLinked?: ((panelUserId: number) => Promise<{ _id: number } | null>) | undefined;
  /** Counts the calls of customers; by default, only those of this process. */
  limiter?: Limiter | undefined;
}

export type CompleteOptions = PterodactylPanelOptions &
  PanelTunables &
  Required<Pick<PterodactylPanelOptions, 'onOutcome'>> & { limiter: Limiter };
