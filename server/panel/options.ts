/** Options of the panel client: what it requires, and what can be tuned, with defaults and reasons. */
import type { Clock } from '../../routers/ports.ts';
import type { OnOutcome, PanelApi } from './failures.ts';

/** The part of a pino logger that the panel client needs. */
interface PanelLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface PanelTunables {
  /** One attempt of a read; a list touches no node, so a healthy panel needs far less. */
  readTimeoutMs: number;
  /** A read with all its retries. */
  readTotalMs: number;
  /** After a lost connection or a 5xx. */
  readRetries: number;
  retryDelayMs: number;
  /** One call of the client API: the panel waits up to 15 s for a node, and must not be blamed for it. */
  clientTimeoutMs: number;
  /** How long an idle connection of the client API is reused: servers usually keep theirs for seconds. */
  clientIdleMs: number;
  /** Longer responses are refused unread: no user has so many servers. */
  responseBytesMax: number;
  /** How long a list is served from cache. */
  listTtlMs: number;
  /** How many users' lists are cached at once. */
  listsMax: number;
  /** How old the list may be by which a caller may read about a server; an action asks for one of `listTtlMs`. */
  ownershipTtlMs: number;
  /** How long details, live state and backups are served from cache; the panel caches live state as long. */
  liveTtlMs: number;
  /** How many servers' live states are cached at once, and as many lists of backups. */
  liveStatesMax: number;
  /** How long a caller waits for a live state before it is called unknown. */
  liveWaitMs: number;
  /** How old a cached read may be while only the reserve is left of the panel's rate limit. */
  staleMsMax: number;
  /** The share of the panel's rate limit that reads leave to power and other writes. */
  reservedShare: number;
  /** Consecutive outages that open the circuit. */
  failureThreshold: number;
  /** How long the circuit stays open before one call probes the panel. */
  resetTimeoutMs: number;
  /** The longest Retry-After passed on to a caller. */
  retryAfterMsMax: number;
  /** The longest Retry-After that stops all calls: the panel counts by the minute, and a proxy may be mistaken. */
  pauseMsMax: number;
}

/** What a span may contain of a call. */
interface TracedCall {
  api: PanelApi;
  method: 'GET' | 'POST';
}

/** Makes a call in a span, with the headers that propagate it. */
export type TraceCall = <Response extends { status: number }>(
  traced: TracedCall,
  call: (headers: Record<string, string>) => Promise<Response>,
) => Promise<Response>;

export interface PterodactylPanelOptions extends Partial<PanelTunables> {
  /** Base URL, with a path when the panel is served below one. */
  url: string;
  /** Shown as each server's `type`. */
  kind: string;
  /** `ptla_...`: reads. */
  applicationKey: string;
  /** `ptlc_...` of a root admin: live state, backups, power and commands, on any server. */
  clientKey: string;
  clock: Clock;
  log: PanelLog;
  onOutcome?: OnOutcome;
  traceCall?: TraceCall | undefined;
}

export type PanelSettings = Required<PterodactylPanelOptions> & { traceCall: TraceCall };

export const panelDefaults: PanelTunables = {
  readTimeoutMs: 5_000,
  readTotalMs: 8_000,
  readRetries: 2,
  retryDelayMs: 200,
  clientTimeoutMs: 20_000,
  clientIdleMs: 500,
  responseBytesMax: 8 * 1024 * 1024,
  listTtlMs: 5_000,
  listsMax: 2_000,
  ownershipTtlMs: 60_000,
  liveTtlMs: 20_000,
  liveStatesMax: 5_000,
  liveWaitMs: 5_000,
  staleMsMax: 300_000,
  reservedShare: 0.25,
  failureThreshold: 5,
  resetTimeoutMs: 10_000,
  retryAfterMsMax: 600_000,
  pauseMsMax: 60_000,
};
