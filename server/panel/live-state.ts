/**
 * What each server does now, for one server and for many. Where the state is unknown for reasons of the server or its node,
 * it is `unknown` with the reason.
 */
import pLimit from 'p-limit';
import { ApiError } from '../../routers/errors.ts';
import type { LocatedServer, PanelResources, PanelServer } from '../../routers/panel-port.ts';
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import type { ConsoleReader } from './console.ts';
import { type FailureKind, PanelFailure } from './failures.ts';
import { NodeConcurrencyLimit } from './node-concurrency-limit.ts';
import type { PanelSettings } from './options.ts';
import type { PanelApiClient } from './panel-api.ts';
import { reasonOf, unknownFor, unknownState } from './resources.ts';
import { type StateAsk, StateSources } from './state-sources.ts';

export function createLiveState(api: PanelApiClient, consoles: ConsoleReader, settings: PanelSettings) {
  const { clock, staleMsMax, liveWaitMs } = settings;
  const sources = new StateSources(api, consoles, settings);
  const states = new StatesReader(api, sources, settings);
  async function get(server: LocatedServer, requestId: string) {
    const { identifier } = server;
    const cached = sources.peek(identifier);
    if (cached) return cached;
    const fallback = (kind: FailureKind) => sources.peek(identifier, staleMsMax) ?? unknownFor(kind, clock());
    if (!api.allowsReads()) return fallback('throttled');
    try {
      return await withTimeout(liveWaitMs, sources.get(server, { requestId }));
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
    /** Whether a server is known to be off now. */
    isOff: (server: LocatedServer, requestId: string) =>
      withTimeout(liveWaitMs, sources.isOff(server, requestId)).catch(ignoreTimeout),
    beginChange: (...call: Parameters<StateSources['beginChange']>) => sources.beginChange(...call),
  };
}

/** Calls at once, of all who ask for several states; to one node, and of one caller. */
const callsMax = 10;
const callsPerNodeMax = 5;
const callsPerCallerMax = 5;
const waitingMax = 1_000;

/** Reads the states of several servers within seconds; nothing fails but the state of one server. */
class StatesReader {
  readonly #api: PanelApiClient;
  readonly #sources: StateSources;
  readonly #settings: PanelSettings;
  readonly #deadNodes = new Set<number | null>();
  readonly #limit = new NodeConcurrencyLimit({
    total: callsMax,
    // A call to a dead node takes long.
    perNode: (nodeId) => (this.#deadNodes.has(nodeId) ? 1 : callsPerNodeMax),
    waitingMax,
  });

  constructor(api: PanelApiClient, sources: StateSources, settings: PanelSettings) {
    this.#api = api;
    this.#sources = sources;
    this.#settings = settings;
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
    return this.#settings.clock();
  }

  #peek({ identifier, isSuspended }: PanelServer, ageMsMax: number | undefined) {
    if (isSuspended) return unknownFor('suspended', this.#now());
    if (this.#api.allowsReads()) return this.#sources.peek(identifier, ageMsMax);
    const stale = this.#sources.peek(identifier, this.#settings.staleMsMax);
    return stale ?? unknownFor('throttled', this.#now());
  }

  async #measureAll(servers: readonly PanelServer[], ask: StateAsk) {
    const measured = new Map<string, PanelResources>();
    const late = new AbortController();
    const limit = pLimit(callsPerCallerMax);
    const all = limit.map(servers, async (server) => {
      if (late.signal.aborted) return;
      measured.set(server.identifier, await this.#measure(server, ask, late.signal));
    });
    await withTimeout(this.#settings.statesWaitMs, all).catch(ignoreTimeout);
    late.abort();
    return measured;
  }

  async #measure(server: PanelServer, ask: StateAsk, signal: AbortSignal) {
    const { nodeId } = server;
    const load = () => this.#sources.get(server, ask);
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
