/** Decides from earlier calls whether a call may be sent now, and if not, when: by server, node, panel and customer. */
import QuickLRU from 'quick-lru';
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import { ApiEvidence, type RateLimit, requireElapsed, windowMs } from './api-evidence.ts';
import { type PanelApi, PanelFailure, panelOutcome, showsPanelWorking } from './failures.ts';
import type { CompleteOptions } from './options.ts';
import {
  type CalledServer,
  isPower,
  keptServersMax,
  mayTakeLong,
  type PanelCall,
  showsNodeHealth,
} from './panel-call.ts';

interface InProgress {
  running: readonly PanelCall[];
  /** The running calls that began while their node was slow. */
  probes: readonly PanelCall[];
}

export class Evidence {
  readonly #settings: CompleteOptions;
  readonly #apis: Record<PanelApi, ApiEvidence>;
  readonly #nodes: Backoffs<number | null>;
  readonly #servers: Backoffs<string>;
  readonly #limitedUntil: QuickLRU<string, number>;
  readonly #serverCounts: QuickLRU<number | string, number>;

  constructor(settings: CompleteOptions) {
    const lru = { maxSize: keptServersMax };
    this.#settings = settings;
    this.#apis = {
      application: new ApiEvidence('application', settings),
      client: new ApiEvidence('client', settings),
    };
    this.#nodes = new Backoffs(settings);
    this.#servers = new Backoffs(settings);
    this.#limitedUntil = new QuickLRU(lru);
    this.#serverCounts = new QuickLRU({ maxSize: settings.listsMax });
  }

  /** @throws {PanelFailure} with the reason, and the time until the call may be sent */
  requireAllowed(call: PanelCall): void {
    const { api, server, needsNode, isWrite } = call;
    if (server?.mustGo) return;
    if ((server?.givesUpAt ?? Number.POSITIVE_INFINITY) <= performance.now())
      throw new PanelFailure('busy', { reason: 'its caller gave up' });
    if (api) this.#apis[api].requireAllowed();
    if (!server) return;
    if (api && !isWrite) this.requireReads(api);
    if (needsNode && !isPower(call))
      requireElapsed(this.#nodes.leftMs(server.nodeId), 'nodeBusy', 'its node is slow');
    const key = keyOf(call);
    const limitedMs = (this.#limitedUntil.get(key) ?? 0) - this.#settings.clock();
    requireElapsed(limitedMs, 'serverThrottled', 'its own limit is used up');
    requireElapsed(this.#servers.leftMs(key), 'nodeBusy', 'it was late before');
  }

  requireReads(api: PanelApi): void {
    this.#apis[api].requireReads();
  }

  /** A slow node gets one call at a time, after a pause. Power signals skip the pause, because customers need them then. */
  mayRunWith({ running, probes }: InProgress, call: PanelCall): boolean {
    const key = keyOf(call);
    return (
      (!this.isOfSlowNode(call) || this.#mayProbe(probes, call)) &&
      this.#servers.mayAsk(key, () => running.some((other) => keyOf(other) === key))
    );
  }

  #mayProbe(probes: readonly PanelCall[], call: PanelCall) {
    const nodeId = call.server?.nodeId ?? null;
    const ofNode = probes.filter(({ server }) => server?.nodeId === nodeId);
    if (isPower(call)) return !ofNode.some(isPower);
    // A long call is no evidence about the node, so a quick one does not wait for it.
    const isAsked = mayTakeLong(call) ? ofNode.length > 0 : ofNode.some((other) => !mayTakeLong(other));
    return this.#nodes.leftMs(nodeId) <= 0 && !isAsked;
  }

  isOfSlowNode({ server, needsNode }: PanelCall): boolean {
    return needsNode && server !== null && this.#nodes.has(server.nodeId);
  }

  isOfPausedNode({ server, needsNode }: PanelCall): boolean {
    return needsNode && server !== null && this.#nodes.leftMs(server.nodeId) > 0;
  }

  /** @throws what `send` throws; `throttled` by the limit of one server becomes `serverThrottled` */
  async sendAndRecord<Value>(call: PanelCall, send: () => Promise<Value>): Promise<Value> {
    this.requireAllowed(call);
    const end = call.api && this.#apis[call.api].begin();
    let isLate = false;
    const answer = send();
    withTimeout(this.#settings.slowMs, answer).catch((error: unknown) => {
      if (!(error instanceof TimeoutError)) return;
      isLate = true;
      if (call.server) this.#beginLate(call, call.server);
    });
    const [result] = await Promise.allSettled([answer]);
    const failure = this.#recordResult(call, result.status === 'rejected' ? result.reason : null);
    this.#recordEnd(call, { isLate, failure });
    end?.();
    if (result.status === 'rejected') throw failure;
    return result.value;
  }

  needsConfirmation(call: PanelCall): boolean {
    return call.api !== null && this.#apis[call.api].needsConfirmation(call);
  }

  /** Call this with each response before its status is checked. */
  recordRateLimit(call: PanelCall, rateLimit: RateLimit | null): void {
    if (call.api) this.#apis[call.api].recordRateLimit(call, rateLimit);
  }

  /** All of the customer's keys, apps and pages share the limit per minute. A write that has begun always continues. */
  async countForCustomer({ api, server, customerId }: PanelCall): Promise<void> {
    const { callsPerCustomer, limiter } = this.#settings;
    if (!api || customerId === null || callsPerCustomer === 0) return;
    const write = server?.write;
    const max = write?.isBegun ? Number.MAX_SAFE_INTEGER : this.#callsMax(customerId);
    const window = { name: 'panel-calls', seconds: windowMs / 1000, max };
    const { fits, secondsLeft } = await limiter.consume(window, String(customerId), 1);
    if (!fits) throw new PanelFailure('customerThrottled', {}, secondsLeft * 1000);
    if (write) write.isBegun = true;
  }

  setServerCount(customerId: number, count: number): void {
    this.#serverCounts.set(customerId, count);
  }

  #callsMax(customerId: number | string): number {
    const own = this.#settings.callsPerCustomer + (this.#serverCounts.get(customerId) ?? 0);
    return Math.min(own, Math.floor(this.#apis.client.limit / 3));
  }

  #beginLate(call: PanelCall, { nodeId }: CalledServer) {
    this.#servers.begin(keyOf(call));
    if (!showsNodeHealth(call)) return;
    if (!this.#nodes.has(nodeId))
      this.#settings.log.warn({ nodeId }, 'A node is slow: it gets one call at a time');
    this.#nodes.begin(nodeId);
  }

  #recordEnd(call: PanelCall, { isLate, failure }: { isLate: boolean; failure: unknown }) {
    if (!call.server) return;
    const isPanelUp = showsPanelWorking(panelOutcome(failure));
    if (isLate && failure) this.#servers.end(keyOf(call));
    else if (isPanelUp) this.#servers.clear(keyOf(call));
    if (!showsNodeHealth(call)) return;
    // A refusal by the panel itself is no evidence about the node.
    const isOfNode = !failure || panelOutcome(failure) === 'node';
    if (isLate) this.#nodes.end(call.server.nodeId);
    else if (isOfNode) this.#nodes.clear(call.server.nodeId);
  }

  #recordResult(call: PanelCall, error: unknown): unknown {
    if (!call.api) return error;
    const { clock, onOutcome, resetTimeoutMs } = this.#settings;
    const api = this.#apis[call.api];
    const failure = api.isLimitOfServer(call, error)
      ? new PanelFailure('serverThrottled', error.details, error.retryAfterMs)
      : error;
    const isOfPanel = api.recordResult(call, failure);
    onOutcome(call.api, panelOutcome(failure), isOfPanel);
    if (failure instanceof PanelFailure && call.server && failure.retryAfterMs > 0) {
      const pauseMs = failure.kind === 'serverThrottled' ? failure.retryAfterMs : resetTimeoutMs;
      this.#limitedUntil.set(keyOf(call), clock() + Math.min(failure.retryAfterMs, pauseMs));
    }
    return failure;
  }
}

const keyOf = ({ server, kind }: PanelCall) => `${server?.identifier} ${kind}`;

interface Backoff {
  lengthMs: number;
  /** Infinity: a call is still unanswered. */
  until: number;
}

/** Each pause is twice as long as the one before. */
class Backoffs<Key> {
  readonly #settings: CompleteOptions;
  readonly #pauses: QuickLRU<Key, Backoff>;

  constructor(settings: CompleteOptions) {
    this.#settings = settings;
    this.#pauses = new QuickLRU({ maxSize: keptServersMax });
  }

  has(key: Key) {
    return this.#pauses.has(key);
  }

  leftMs(key: Key) {
    const { clock, pauseMs } = this.#settings;
    return Math.min((this.#pauses.get(key)?.until ?? 0) - clock(), pauseMs.longest);
  }

  mayAsk(key: Key, isAsked: () => boolean) {
    return !this.#pauses.has(key) || (this.leftMs(key) <= 0 && !isAsked());
  }

  begin(key: Key) {
    const lengthMs = this.#pauses.get(key)?.lengthMs ?? 0;
    this.#pauses.set(key, { lengthMs, until: Number.POSITIVE_INFINITY });
  }

  end(key: Key) {
    const pause = this.#pauses.get(key);
    // A concurrent call has already set or cleared the pause.
    if (pause?.until !== Number.POSITIVE_INFINITY) return;
    const { clock, pauseMs } = this.#settings;
    const lengthMs = Math.min(Math.max(2 * pause.lengthMs, pauseMs.shortest), pauseMs.longest);
    this.#pauses.set(key, { lengthMs, until: clock() + lengthMs });
  }

  clear(key: Key) {
    this.#pauses.delete(key);
  }
}
