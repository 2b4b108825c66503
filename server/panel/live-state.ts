/**
 * What each server does now, for one server and for many. Where the state is unknown for reasons of the server or its node,
 * it is `unknown` with the reason.
 */
import pLimit from 'p-limit';
import { ApiError, badRequest } from '../../routers/errors.ts';
import type { LocatedServer, PanelResources, PanelServer } from '../../routers/panel-port.ts';
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import type { ConsoleReader } from './console.ts';
import { type FailureKind, PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { unknownFor, unknownState } from './resources.ts';
import { answerWithin, type ServerApi } from './server-api.ts';
import { type StateAsk, StateSources } from './state-sources.ts';

export function createLiveState(api: ServerApi, consoles: ConsoleReader, settings: PanelSettings) {
  const { clock, staleMsMax, liveWaitMs: waitMs } = settings;
  const sources = new StateSources(api, consoles, settings);
  const states = new StatesReader(sources, settings);
  return {
    async get(server: LocatedServer, requestId: string) {
      await sources.heedOthers();
      try {
        // A panel waits for a node for longer than a caller should.
        return await sources.get(server, { requestId, waitMs });
      } catch (error) {
        if (!isUntold(error)) throw error;
        const stale = error.kind === 'throttled' ? sources.known(server, staleMsMax) : undefined;
        return stale ?? unknownFor(error.kind, clock());
      }
    },
    getMany: (...call: Parameters<StatesReader['get']>) => states.get(...call),
    /** Whether a server is known to be off now. */
    isOff: (server: LocatedServer, requestId: string) =>
      answerWithin(waitMs, sources.stateNow(server, requestId))
        .then((state) => state === 'offline')
        .catch((error: unknown) => {
          if (isUntold(error)) return false;
          throw error;
        }),
    /** @throws badRequest unless the server is stopped now, {@link PanelFailure} where nobody tells */
    async requireStopped(server: LocatedServer, requestId: string): Promise<void> {
      const state = await answerWithin(waitMs, sources.stateNow(server, requestId));
      if (state === 'unknown') throw new PanelFailure('node', { reason: 'its state is unknown' });
      if (state !== 'offline') throw badRequest(`The server is ${state}; stop it first`);
    },
    beginChange: (...call: Parameters<StateSources['beginChange']>) => sources.beginChange(...call),
  };
}

const untold: readonly FailureKind[] = ['throttled', 'busy', 'nodeBusy', 'nodeTimedOut'];

/** Of a panel that is up: the panel is spared, or the node could not be asked or has not answered in time. */
const isUntold = (error: unknown): error is PanelFailure =>
  error instanceof PanelFailure && untold.includes(error.kind);

/** Of one caller at once, who may have many servers. */
const callsPerCallerMax = 5;

/** Reads the states of several servers within seconds; nothing fails but the state of one server. */
class StatesReader {
  readonly #sources: StateSources;
  readonly #settings: PanelSettings;

  constructor(sources: StateSources, settings: PanelSettings) {
    this.#sources = sources;
    this.#settings = settings;
  }

  async get(servers: readonly PanelServer[], requestId: string, freshMs?: number): Promise<PanelResources[]> {
    await this.#sources.heedOthers();
    const known = servers.map((server) => this.#peek(server, freshMs));
    const missing = servers.filter((_, index) => !known[index]);
    const measured = missing.length > 0 ? await this.#measureAll(missing, { requestId, freshMs }) : null;
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

  #peek(server: PanelServer, freshMs: number | undefined) {
    return server.isSuspended ? unknownFor('suspended', this.#now()) : this.#sources.known(server, freshMs);
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
