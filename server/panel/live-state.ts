/**
 * What each server does now, from the client API. Cached and coalesced per server; where the state is unknown for
 * reasons of the server or its node, it is `unknown` with the reason, which is cached too.
 */
import pLimit from 'p-limit';
import { z } from 'zod';
import { ApiError } from '../../routers/errors.ts';
import { type PanelResources, type PanelServer, runStates } from '../../routers/panel-port.ts';
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import { type Cache, createCache } from './cache.ts';
import { type FailureKind, isOfPanel, PanelFailure, reasonOf, reasonOfNewState } from './failures.ts';
import { NodeConcurrencyLimit } from './node-concurrency-limit.ts';
import type { PanelSettings } from './options.ts';
import { expecting, type PanelApiClient, parseBody, serverPath } from './panel-api.ts';

export function createLiveState(api: PanelApiClient, settings: PanelSettings) {
  const { clock, staleMsMax, liveWaitMs } = settings;
  const unknown = (kind: FailureKind) => unknownFor(kind, clock());
  const cache = createStateCache(api, settings);
  const changing = createChangingServers(settings);
  const states = new StatesReader(api, { settings, cache, ttlMsOf: changing.ttlMsOf });
  async function get(identifier: string, requestId: string, purpose: 'read' | 'action' = 'read') {
    const ageMsMax = changing.ttlMsOf(identifier);
    const cached = cache.peek(identifier, ageMsMax);
    if (cached) return cached;
    const fallback = (kind: FailureKind) => cache.peek(identifier, staleMsMax) ?? unknown(kind);
    if (purpose === 'read' && !api.allowsReads()) return fallback('throttled');
    try {
      return await withTimeout(liveWaitMs, cache.get(identifier, { requestId, ageMsMax }));
    } catch (error) {
      // The call goes on, and its outcome is cached: a panel waits for a node for longer than a caller should.
      if (error instanceof TimeoutError) return fallback('node');
      if (error instanceof PanelFailure && error.kind === 'throttled') return fallback('throttled');
      throw error;
    }
  }

  return {
    get,
    getMany: (...call: Parameters<StatesReader['get']>) => states.get(...call),
    /** To be called after a signal or a command: the state is read again, and often until it has settled. */
    drop(identifier: string) {
      cache.drop(identifier);
      changing.add(identifier);
    },
  };
}

function createStateCache(
  api: PanelApiClient,
  { clock, liveStatesMax }: PanelSettings,
): Cache<string, PanelResources> {
  const read = expecting([200], 'Server', (body) => parseResources(body, clock()));
  return createCache<string, PanelResources>({
    clock,
    entriesMax: liveStatesMax,
    load: (identifier, requestId) =>
      api.send({ path: serverPath(identifier, 'resources'), requestId }, read).catch((error: unknown) => {
        if (!(error instanceof PanelFailure) || isOfPanel(error)) throw error;
        return unknownFor(error.kind, clock());
      }),
  });
}

/** Servers that got a signal or a command a short while ago. */
function createChangingServers({ clock, liveStatesMax, ...settings }: PanelSettings) {
  const untilOf = new Map<string, number>();
  return {
    /** How long the state of a server may be served from cache. */
    ttlMsOf: (identifier: string) =>
      (untilOf.get(identifier) ?? 0) > clock() ? settings.changingTtlMs : settings.liveTtlMs,
    add(identifier: string) {
      untilOf.delete(identifier);
      untilOf.set(identifier, clock() + settings.changingMs);
      const [oldest] = untilOf.keys();
      if (untilOf.size > liveStatesMax && oldest !== undefined) untilOf.delete(oldest);
    },
  };
}

interface StatesSource {
  settings: PanelSettings;
  cache: ReturnType<typeof createStateCache>;
  /** How long the state of a server may be served from cache. */
  ttlMsOf(identifier: string): number;
}

interface StatesAsk {
  requestId: string;
  /** Without it, as old as each may be served from cache. */
  ageMsMax: number | undefined;
}

/** Calls at once, of all who ask for several states; to one node, and of one caller. */
const callsMax = 10;
const callsPerNodeMax = 5;
const callsPerCallerMax = 5;
const waitingMax = 1_000;

/** Reads the states of several servers within seconds; nothing fails but the state of one server. */
class StatesReader {
  readonly #api: PanelApiClient;
  readonly #source: StatesSource;
  readonly #deadNodes = new Set<number | null>();
  readonly #limit = new NodeConcurrencyLimit({
    total: callsMax,
    // A call to a dead node takes long.
    perNode: (nodeId) => (this.#deadNodes.has(nodeId) ? 1 : callsPerNodeMax),
    waitingMax,
  });

  constructor(api: PanelApiClient, source: StatesSource) {
    this.#api = api;
    this.#source = source;
  }

  async get(
    servers: readonly PanelServer[],
    requestId: string,
    ageMsMax?: number,
  ): Promise<PanelResources[]> {
    const known = servers.map((server) => this.#peek(server, ageMsMax));
    const missing = servers.filter((_, index) => !known[index]);
    const measured = missing.length > 0 ? await this.#measureAll(missing, { requestId, ageMsMax }) : null;
    return servers.map(
      ({ identifier }, index) =>
        known[index] ??
        measured?.get(identifier) ??
        unknownState('The state could not be read in time.', this.#now()),
    );
  }

  #now() {
    return this.#source.settings.clock();
  }

  #peek({ identifier, isSuspended }: PanelServer, ageMsMax = this.#source.ttlMsOf(identifier)) {
    const { cache, settings } = this.#source;
    if (isSuspended) return unknownFor('suspended', this.#now());
    if (this.#api.allowsReads()) return cache.peek(identifier, ageMsMax);
    return cache.peek(identifier, settings.staleMsMax) ?? unknownFor('throttled', this.#now());
  }

  async #measureAll(servers: readonly PanelServer[], ask: StatesAsk) {
    const measured = new Map<string, PanelResources>();
    const late = new AbortController();
    const limit = pLimit(callsPerCallerMax);
    const all = limit.map(servers, async (server) => {
      if (late.signal.aborted) return;
      measured.set(server.identifier, await this.#measure(server, ask, late.signal));
    });
    await withTimeout(this.#source.settings.statesWaitMs, all).catch(ignoreTimeout);
    late.abort();
    return measured;
  }

  async #measure({ identifier, nodeId }: PanelServer, ask: StatesAsk, signal: AbortSignal) {
    const { cache, ttlMsOf } = this.#source;
    const { requestId, ageMsMax = ttlMsOf(identifier) } = ask;
    const load = () => cache.get(identifier, { requestId, ageMsMax });
    try {
      const loaded = await this.#limit.run(nodeId, signal, load);
      if (loaded.reason === reasonOf('node')) this.#deadNodes.add(nodeId);
      else this.#deadNodes.delete(nodeId);
      return loaded;
    } catch (error) {
      if (error instanceof PanelFailure) return unknownFor(error.kind, this.#now());
      if (error instanceof ApiError) return unknownState('The panel no longer has the server.', this.#now());
      throw error;
    }
  }
}

function ignoreTimeout(error: unknown) {
  if (!(error instanceof TimeoutError)) throw error;
}

const unknownFor = (kind: FailureKind, measuredAt: number) => unknownState(reasonOf(kind), measuredAt);

const unknownState = (reason: string, measuredAt: number): PanelResources =>
  Object.freeze({
    state: 'unknown',
    reason,
    memoryBytes: null,
    cpuPercent: null,
    diskBytes: null,
    networkRxBytes: null,
    networkTxBytes: null,
    uptimeMs: null,
    measuredAt,
  });

const amount = z.number().nullable().catch(null);

const Stats = z.object({
  attributes: z.object({
    current_state: z.string(),
    resources: z.object({
      memory_bytes: amount,
      cpu_absolute: amount,
      disk_bytes: amount,
      network_rx_bytes: amount,
      network_tx_bytes: amount,
      uptime: amount,
    }),
  }),
});

/** The response to `GET /api/client/servers/{identifier}/resources`, frozen. */
function parseResources(body: unknown, measuredAt: number): PanelResources {
  const { current_state: word, resources } = parseBody(Stats, body).attributes;
  const state = runStates.find((known) => known === word);
  if (!state) return unknownState(reasonFor(word), measuredAt);
  return Object.freeze({
    state,
    reason: null,
    memoryBytes: resources.memory_bytes,
    cpuPercent: resources.cpu_absolute,
    diskBytes: resources.disk_bytes,
    networkRxBytes: resources.network_rx_bytes,
    networkTxBytes: resources.network_tx_bytes,
    uptimeMs: resources.uptime,
    measuredAt,
  });
}

/** `missing` is Pelican's word where its node did not answer. */
const reasonFor = (word: string) => (word === 'missing' ? reasonOf('node') : reasonOfNewState);
