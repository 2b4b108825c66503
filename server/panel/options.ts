/** What the panel client must be given, and the numbers that tune it, each with its default and reason. */
import type { Clock } from '../../routers/ports.ts';
import type { OnOutcome, PanelApi } from './outcome.ts';

/** The part of a pino logger that the panel client needs. */
export interface PanelLog {
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
  /** The panel itself waits up to 15 s for its node: giving up sooner would call a success a failure. */
  powerTimeoutMs: number;
  /** How long a connection may rest before a signal opens another: servers mostly keep theirs for seconds. */
  powerRestMs: number;
  /** Longer answers are refused unread: no user has so many servers. */
  answerBytesMax: number;
  /** How long a list is served again without asking the panel. */
  listTtlMs: number;
  /** How many users' lists are remembered at once. */
  listsMax: number;
  /** So many failures in a row mean that the panel is down. */
  failuresMax: number;
  /** How long a panel that is down is left alone before one call tries it again. */
  restMs: number;
  /** The longest wait a panel may impose on us: a proxy's slip must not silence us for a day. */
  waitMsMax: number;
}

/** What a trace may tell of a call. */
interface TracedCall {
  api: PanelApi;
  method: 'GET' | 'POST';
}

/** Makes a call, with headers that hand the trace on. */
export type TraceCall = <Answer extends { status: number }>(
  what: TracedCall,
  call: (headers: Record<string, string>) => Promise<Answer>,
) => Promise<Answer>;

export interface PterodactylPanelOptions extends Partial<PanelTunables> {
  /** Base address, with a path when the panel lives under one. */
  url: string;
  /** Shown as each server's `type`. */
  kind: string;
  /** `ptla_...`: reads. */
  applicationKey: string;
  /** `ptlc_...` of a root admin: power, on any server. */
  clientKey: string;
  clock: Clock;
  log: PanelLog;
  /** Hears how each call ended. */
  onOutcome?: OnOutcome;
  traceCall?: TraceCall | undefined;
}

export type PanelSettings = Required<PterodactylPanelOptions> & { traceCall: TraceCall };

export const panelDefaults: PanelTunables = {
  readTimeoutMs: 5_000,
  readTotalMs: 8_000,
  readRetries: 2,
  retryDelayMs: 200,
  powerTimeoutMs: 20_000,
  powerRestMs: 500,
  answerBytesMax: 8 * 1024 * 1024,
  listTtlMs: 5_000,
  listsMax: 1_000,
  failuresMax: 5,
  restMs: 10_000,
  waitMsMax: 600_000,
};
