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
import type { PanelSettings } from './options.ts';
import { unknownFor, unknownState } from './resources.ts';
import { answerWithin, type ServerApi } from './server-api.ts';
import { type StateAsk, StateSources } from './state-sources.ts';

export function createLiveState(api: ServerApi, consoles: ConsoleReader, settings: PanelSettings) {
  const { clock, staleMsMax, liveWaitMs } = settings;
  const sources = new StateSources(api, consoles, settings);
  const states = new StatesReader(api, sources, settings);
  async function get(server: LocatedServer, requestId: string) {
    await sources.heedOthers();
    const cached = sources.peek(server);
    if (cached) return cached;
    const throttled = () => sources.peek(server, staleMsMax) ?? unknownFor('throttled', clock());
    if (!api.allowsReads()) return throttled();
    try {
      // The call goes on, and its outcome is cached: a panel waits for a node for longer than a caller should.
      return await answerWithin(liveWaitMs, sources.get(server, { requestId }));
    } catch (error) {
      if (!(error instanceof PanelFailure)) throw error;
      if (error.kind === 'throttled') return throttled();
      if (isOfNode(error)) return unknownFor(error.kind, clock());
      throw error;
    }
  }

  return {
    get,
    getMany: (...call: Parameters<StatesReader['get']>) => states.get(...call),
    /** Whether a server is known to be off now. */
    isOff: (server: LocatedServer, requestId: string) =>
      answerWithin(liveWaitMs, sources.isOff(server, requestId)).catch((error: unknown) => {
        if (error instanceof PanelFailure && (error.kind === 'throttled' || isOfNode(error))) return false;
        throw error;
      }),
    beginChange: (...call: Parameters<StateSources['beginChange']>) => sources.beginChange(...call),
  };
}

const ofNode: readonly FailureKind[] = ['busy', 'nodeBusy', 'nodeTimedOut'];

/** Failures of a panel that is up: the node could not be asked, or has not answered in time. */
const isOfNode = ({ kind }: PanelFailure) => ofNode.includes(kind);

/** Of one caller at once, who may have many servers. */
const callsPerCallerMax = 5;

/** Reads the states of several servers within seconds; nothing fails but the state of one server. */
class StatesReader {
  readonly #api: ServerApi;
  readonly #sources: StateSources;
  readonly #settings: PanelSettings;

  constructor(api: ServerApi, sources: StateSources, settings: PanelSettings) {
    this.#api = api;
    this.#sources = sources;
    this.#settings = settings;
  }

  async get(
    servers: readonly PanelServer[],
    requestId: string,
    ageMsMax?: number,
  ): Promise<PanelResources[]> {
    await this.#sources.heedOthers();
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

  #peek(server: PanelServer, ageMsMax: number | undefined) {
    if (server.isSuspended) return unknownFor('suspended', this.#now());
    if (this.#api.allowsReads()) return this.#sources.peek(server, ageMsMax);
    return this.#sources.peek(server, this.#settings.staleMsMax) ?? unknownFor('throttled', this.#now());
  }

  async #measureAll(servers: readonly PanelServer[], ask: StateAsk) {
    const measured = new Map<string, PanelResources>();
    let isLate = false;
    const limit = pLimit(callsPerCallerMax);
    const all = limit.map(servers, async (server) => {
      if (!isLate) measured.set(server.identifier, await this.#measure(server, ask));
    });
    await withTimeout(this.#settings.statesWaitMs, all).catch(ignoreTimeout);
    isLate = true;
    return measured;
  }

  async #measure(server: PanelServer, ask: StateAsk) {
    try {
      return await this.#sources.get(server, ask);
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
