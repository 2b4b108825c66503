/**
 * What each server does now, from the client API. Cached and coalesced per server; where the state is unknown for
 * reasons of the server or its node, it is `unknown` with the reason, which is cached too.
 */
import pLimit from 'p-limit';
import { z } from 'zod';
import { ApiError } from '../../routers/errors.ts';
import {
  type LocatedServer,
  type PanelResources,
  type PanelServer,
  runStates,
} from '../../routers/panel-port.ts';
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import { type Cache, createCache } from './cache.ts';
import { type FailureKind, failureTable, isOutage, PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { expecting, parseBody } from './panel-api.ts';
import { answerWithin, type ServerApi } from './server-api.ts';

export function createLiveState(api: ServerApi, settings: PanelSettings) {
  const { clock, staleMsMax, liveWaitMs } = settings;
  const unknown = (kind: FailureKind) => unknownFor(kind, clock());
  const cache = createStateCache(api, settings);
  const changing = createChangingServers(settings);
  const states = new StatesReader(api, { settings, cache, ttlMsOf: changing.ttlMsOf });
  async function get(server: LocatedServer, requestId: string, purpose: 'read' | 'action' = 'read') {
    const ageMsMax = changing.ttlMsOf(server.identifier);
    const cached = cache.peek(server, ageMsMax);
    if (cached) return cached;
    const throttled = () => cache.peek(server, staleMsMax) ?? unknown('throttled');
    if (purpose === 'read' && !api.allowsReads()) return throttled();
    try {
      // The call goes on, and its outcome is cached: a panel waits for a node for longer than a caller should.
      return await answerWithin(liveWaitMs, cache.get(server, { requestId, ageMsMax }));
    } catch (error) {
      if (!(error instanceof PanelFailure)) throw error;
      if (error.kind === 'throttled') return throttled();
      if (isOfNode(error)) return unknown(error.kind);
      throw error;
    }
  }

  return {
    get,
    getMany: (...call: Parameters<StatesReader['get']>) => states.get(...call),
    /** To be called after a signal or a command: the state is read again, and often until it has settled. */
    drop(server: LocatedServer) {
      cache.drop(server);
      changing.add(server.identifier);
    },
  };
}

function createStateCache(
  api: ServerApi,
  { clock, liveStatesMax }: PanelSettings,
): Cache<LocatedServer, PanelResources> {
  const read = expecting([200], 'Server', (body) => parseResources(body, clock()));
  return createCache<LocatedServer, PanelResources>({
    keyOf: ({ identifier }) => identifier,
    clock,
    entriesMax: liveStatesMax,
    load: (server, requestId) =>
      api.send({ server, rest: 'resources', requestId }, read).catch((error: unknown) => {
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

/** Of one caller at once, who may have many servers. */
const callsPerCallerMax = 5;

/** Reads the states of several servers within seconds; nothing fails but the state of one server. */
class StatesReader {
  readonly #api: ServerApi;
  readonly #source: StatesSource;

  constructor(api: ServerApi, source: StatesSource) {
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

  #peek(server: PanelServer, ageMsMax = this.#source.ttlMsOf(server.identifier)) {
    const { cache, settings } = this.#source;
    if (server.isSuspended) return unknownFor('suspended', this.#now());
    if (this.#api.allowsReads()) return cache.peek(server, ageMsMax);
    return cache.peek(server, settings.staleMsMax) ?? unknownFor('throttled', this.#now());
  }

  async #measureAll(servers: readonly PanelServer[], ask: StatesAsk) {
    const measured = new Map<string, PanelResources>();
    let isLate = false;
    const limit = pLimit(callsPerCallerMax);
    const all = limit.map(servers, async (server) => {
      if (!isLate) measured.set(server.identifier, await this.#measure(server, ask));
    });
    await withTimeout(this.#source.settings.statesWaitMs, all).catch(ignoreTimeout);
    isLate = true;
    return measured;
  }

  async #measure(server: PanelServer, ask: StatesAsk) {
    const { cache, ttlMsOf } = this.#source;
    const { requestId, ageMsMax = ttlMsOf(server.identifier) } = ask;
    try {
      return await cache.get(server, { requestId, ageMsMax });
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

const reasonOf = (kind: FailureKind) => `${failureTable[kind].event}.`;

const ofPanel: readonly FailureKind[] = ['circuitOpen', 'credentials', 'busy', 'nodeBusy'];

/** Failures that say nothing about the one server. */
const isOfPanel = (failure: PanelFailure) => isOutage(failure) || ofPanel.includes(failure.kind);

const ofNode: readonly FailureKind[] = ['busy', 'nodeBusy', 'nodeTimedOut'];

/** Failures of a panel that is up: the node could not be asked, or has not answered in time. */
const isOfNode = ({ kind }: PanelFailure) => ofNode.includes(kind);

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
const reasonFor = (word: string) =>
  word === 'missing' ? reasonOf('node') : 'The server is in a state for which this API has no word.';
