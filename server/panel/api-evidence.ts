/** Evidence about one of the panel's two APIs: whether it is down, and how much of the shared rate limit is left. */
import {
  type FailureKind,
  failureTable,
  isOutage,
  type PanelApi,
  PanelFailure,
  panelOutcome,
} from './failures.ts';
import type { CompleteOptions } from './options.ts';
import { hasOwnLimit, isList, isPull, type PanelCall } from './panel-call.ts';

/** The rate limit per minute, from the panel's response headers. */
export interface RateLimit {
  limit: number;
  remaining: number;
}

/** Pterodactyl and Pelican both count calls in fixed windows of a minute. */
export const windowMs = 60_000;

/** A longer Retry-After is shortened to this: the panel counts by the minute, and a proxy may send a wrong value. */
const pauseMsMax = 60_000;

/** Assumed until the first response: the lowest default limit of the panels' APIs. It also bounds a burst at the start. */
const assumedLimit = 240;

export class ApiEvidence {
  readonly #api: PanelApi;
  readonly #settings: CompleteOptions;
  #known: (RateLimit & { at: number; isOfList: boolean }) | null;
  #pending = 0;
  #outages = 0;
  readonly #owners = new Set<number>();
  #retryAt = 0;
  /** 0: the panel is not down. Once this time has passed, one call at a time probes the panel. */
  #downUntil = 0;
  #probe: object | null = null;

  constructor(api: PanelApi, settings: CompleteOptions) {
    this.#api = api;
    this.#settings = settings;
    this.#known = { limit: assumedLimit, remaining: assumedLimit, at: settings.clock(), isOfList: false };
  }

  get limit() {
    return this.#known?.limit ?? Number.POSITIVE_INFINITY;
  }

  requireAllowed() {
    const { clock, onOutcome } = this.#settings;
    try {
      requireElapsed(this.#retryAt - clock(), 'throttled', 'its Retry-After has not passed');
      if (clock() < this.#downUntil || this.#probe) throw new PanelFailure('circuitOpen');
    } catch (refusal) {
      onOutcome(this.#api, panelOutcome(refusal), true);
      throw refusal;
    }
  }

  requireReads() {
    if (!this.#known) return;
    const { limit, remaining, at } = this.#known;
    const leftMs = at + windowMs - this.#settings.clock();
    const left = leftMs > 0 && leftMs <= windowMs ? remaining : limit;
    if (left - this.#pending <= limit * this.#settings.reservedShare)
      throw new PanelFailure('reserved', {}, Math.max(leftMs, 0));
  }

  begin() {
    const probe = this.#downUntil > 0 ? {} : null;
    this.#probe = probe;
    this.#pending += 1;
    return () => {
      this.#pending -= 1;
      // An earlier call may have ended the outage meanwhile, so the probe may be another call now.
      if (this.#probe === probe) this.#probe = null;
    };
  }

  recordRateLimit(call: PanelCall, rateLimit: RateLimit | null) {
    const isKnown = rateLimit !== null && rateLimit.limit === this.#known?.limit;
    const isFirst = !this.#known?.isOfList && !hasOwnLimit(call);
    if (!isList(call) && !isKnown && !isFirst) return;
    const isOfList = isList(call) || this.#known?.isOfList === true;
    this.#known = rateLimit && { ...rateLimit, at: this.#settings.clock(), isOfList };
  }

  isLimitOfServer(call: PanelCall, error: unknown): error is PanelFailure {
    const isThrottled = error instanceof PanelFailure && error.kind === 'throttled';
    const mayBeOfServer = call.server !== null || hasOwnLimit(call);
    if (!isThrottled || !mayBeOfServer) return false;
    const { limit } = error.details;
    return limit === undefined ? isPull(call) : limit !== this.#known?.limit;
  }

  /** Whether this outage would open the circuit, or keep it open, once a call about no server confirms it. */
  needsConfirmation({ server }: PanelCall): boolean {
    const isOfOne = !server || [...this.#owners].every((owner) => owner === server.ownerId);
    return this.#downUntil > 0 || (!isOfOne && this.#outages + 1 >= this.#settings.failureThreshold);
  }

  /** @returns whether the result is evidence about the panel as a whole */
  recordResult(call: PanelCall, failure: unknown): boolean {
    if (!isOutage(failure)) {
      this.#outages = 0;
      this.#owners.clear();
      this.#downUntil = 0;
      this.#probe = null;
      return true;
    }
    this.#outages += 1;
    if (call.server) this.#owners.add(call.server.ownerId);
    if (isOfServer(call, failure)) return failureTable[failure.kind].operatorMessage !== undefined;
    const { clock, failureThreshold, resetTimeoutMs } = this.#settings;
    const longestMs = failure.kind === 'throttled' ? pauseMsMax : resetTimeoutMs;
    this.#retryAt = Math.max(this.#retryAt, clock() + Math.min(failure.retryAfterMs, longestMs));
    // Outages at the servers of one customer alone never open the circuit.
    const mayOpen = this.#owners.size !== 1 && this.#outages >= failureThreshold;
    if (this.#downUntil > 0 || mayOpen) this.#open();
    return true;
  }

  #open() {
    const { clock, log, resetTimeoutMs } = this.#settings;
    log.warn({ api: this.#api, resetTimeoutMs }, 'The panel is down: its circuit is open');
    this.#downUntil = clock() + resetTimeoutMs;
    this.#outages = 0;
    this.#owners.clear();
  }
}

const isOfServer = ({ server }: PanelCall, { kind, details, concernsNoServer }: PanelFailure) =>
  server !== null && !concernsNoServer && !(kind === 'throttled' && details.limit !== undefined);

export function requireElapsed(ms: number, kind: FailureKind, reason: string) {
  if (ms > 0) throw new PanelFailure(kind, { reason }, ms);
}
