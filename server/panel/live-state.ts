/** The current state of each server: from its node's socket while it changes, otherwise from the panel, which caches it. */
import type { ServerChange } from '../../models/server-change.ts';
import { createCache } from '../../models/support/cache.ts';
import { mapWithin } from '../../models/support/queue.ts';
import { ApiError, badRequest } from '../../routers/errors.ts';
import type { OwnedServer, PanelResources } from '../../routers/panel-port.ts';
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import { ChangingServers, conditionTtlMs } from './changes.ts';
import type { ConsoleReader } from './console.ts';
import { concernsWholePanel, type FailureKind, failureTable, isUnsent, PanelFailure } from './failures.ts';
import type { SharedChanges } from './options.ts';
import { expecting } from './panel-api.ts';
import { keptServersMax } from './panel-call.ts';
import { createCachedReads, liveTtlMs } from './reads.ts';
import { parseResources, toResources, unknownFor, unknownState } from './resources.ts';
import { answerWithin, type ServerApi } from './server-api.ts';
import { listedCondition } from './server-condition.ts';
import type { PanelSettings } from './settings.ts';

interface KnownState {
  resources: PanelResources;
  isOfNode: boolean;
}

interface StateDeps {
  api: ServerApi;
  consoles: ConsoleReader;
  lists: { drop(ownerId: number): void };
  settings: PanelSettings;
}

const panelKeepsMs = 20_000;
/** How long a node's report about a changing server is served: a user is probably watching the change. */
export const changingTtlMs = 1_000;
const callsPerCallerMax = 5;

export class LiveState {
  readonly #deps: StateDeps;
  readonly #changing: ChangingServers;
  readonly #states;
  readonly #sharedChanges;

  constructor(deps: StateDeps) {
    const { api, settings } = deps;
    const { clock } = settings;
    this.#deps = deps;
    this.#changing = new ChangingServers(clock);
    this.#states = createCachedReads<OwnedServer, KnownState>({
      api,
      keyOf: ({ identifier }) => identifier,
      clock,
      entriesMax: keptServersMax,
      load: (server, requestId) => this.#load(server, requestId),
    });
    this.#sharedChanges = createCache<SharedChanges, true>({
      clock,
      entriesMax: 1,
      load: async (shared) => {
        for (const change of await shared.listNew()) this.#apply(change);
        return true;
      },
    });
  }

  /** Call this before reading cached values, so that signals from other processes count within a second. */
  async readSharedChanges(): Promise<void> {
    const { sharedChanges } = this.#deps.settings;
    if (!sharedChanges) return;
    // A failure is ignored: a database that does not answer also fails the caller's own reads.
    await this.#sharedChanges.get(sharedChanges, { ageMsMax: changingTtlMs }).catch(() => {});
  }

  /** Records a change for all processes. */
  begin(change: ServerChange): void {
    this.#apply(change);
    this.#deps.settings.sharedChanges?.record(change);
  }

  #apply({ identifier, ownerId, isAccepted }: ServerChange) {
    this.#states.drop(identifier);
    this.#deps.consoles.forget(identifier);
    if (ownerId !== null) this.#deps.lists.drop(ownerId);
    this.#changing.begin(identifier, isAccepted);
  }

  async get(server: OwnedServer, requestId: string): Promise<PanelResources> {
    const { clock, liveWaitMs: waitMs } = this.#deps.settings;
    await this.readSharedChanges();
    try {
      // A panel waits for a node for longer than a caller should.
      return (await this.#states.get(server, requestId, { freshMs: this.#ttlOf(server), waitMs })).resources;
    } catch (error) {
      if (!leavesStateUnknown(error)) throw error;
      return unknownFor(error.kind, clock());
    }
  }

  /** A failure makes only its own server's state unknown. @param freshMs the maximum age; only the watch over servers sets it */
  async getMany(servers: readonly OwnedServer[], requestId: string, freshMs?: number) {
    const { clock, liveWaitMs } = this.#deps.settings;
    await this.readSharedChanges();
    const states = new Map<string, PanelResources>();
    for (const server of servers) {
      const known = this.#states.known(server, freshMs ?? this.#ttlOf(server))?.resources;
      const readyState = server.isSuspended ? unknownFor('suspended', clock()) : known;
      if (readyState) states.set(server.identifier, readyState);
    }
    const missing = servers.filter(({ identifier }) => !states.has(identifier));
    let isLate = false;
    const reading = mapWithin(callsPerCallerMax, missing, async (server) => {
      if (isLate) return;
      const subject = freshMs === undefined ? server : { ...server, isWatched: true as const };
      const read = this.#states.get(subject, requestId, { freshMs: freshMs ?? this.#ttlOf(server) });
      const state = read.then(({ resources }) => resources);
      states.set(server.identifier, await state.catch((error: unknown) => unknownAfter(error, clock())));
    });
    if (missing.length > 0) await withTimeout(liveWaitMs, reading).catch(ignoreTimeout);
    isLate = true;
    const late = 'The state could not be read in time.';
    return servers.map(({ identifier }) => states.get(identifier) ?? unknownState(late, clock()));
  }

  /** False also for a server whose state is unknown. */
  async isOff(server: OwnedServer, requestId: string): Promise<boolean> {
    try {
      return (await this.#stateNow(server, requestId)) === 'offline';
    } catch (error) {
      if (leavesStateUnknown(error)) return false;
      throw error;
    }
  }

  async requireStopped(server: OwnedServer, requestId: string): Promise<void> {
    const state = await this.#stateNow(server, requestId);
    if (state === 'unknown') throw new PanelFailure('node', { reason: 'its state is unknown' });
    if (state !== 'offline') throw badRequest(`The server is ${state}; stop it first`);
  }

  #stateNow(server: OwnedServer, requestId: string): Promise<PanelResources['state']> {
    const ask = async () =>
      (await this.#askNode(server, requestId)) ?? (await this.#askPanel(server, requestId));
    return answerWithin(this.#deps.settings.liveWaitMs, ask()).then(({ resources }) => resources.state);
  }

  /** The panel caches a state, so a second read is no newer. It does show the server's current condition. */
  #ttlOf(server: OwnedServer): number {
    const known = this.#states.known(server, liveTtlMs);
    if (!known || !this.#changing.has(server.identifier)) return liveTtlMs;
    if (known.isOfNode) return changingTtlMs;
    return known.resources.state === 'unknown' ? conditionTtlMs : liveTtlMs;
  }

  async #load(server: OwnedServer, requestId: string): Promise<KnownState> {
    const { identifier } = server;
    const panelState = this.#changing.needsPanel(identifier) ? await this.#askPanel(server, requestId) : null;
    if (panelState) {
      const { state } = panelState.resources;
      if (state === 'unknown') return panelState;
      this.#changing.confirm(identifier, state);
      if (!this.#changing.has(identifier)) return panelState;
    }
    return (await this.#askNode(server, requestId)) ?? panelState ?? this.#askPanel(server, requestId);
  }

  async #askPanel(server: OwnedServer, requestId: string): Promise<KnownState> {
    const { api, settings } = this.#deps;
    const parse = (body: unknown) => parseResources(body, settings.clock() - panelKeepsMs);
    const request = { server, rest: 'resources', requestId };
    try {
      return fromPanel(await api.send(request, expecting([200], 'Server', parse)));
    } catch (error) {
      if (!(error instanceof PanelFailure) || isNoEvidence(error)) throw error;
      // The panel reports a failed installation like one in progress.
      const kind = error.kind === 'installing' ? (listedCondition(server) ?? error.kind) : error.kind;
      if (temporaryKinds.includes(kind)) this.#changing.follow(server.identifier);
      return fromPanel(unknownFor(kind, settings.clock()));
    }
  }

  async #askNode(server: OwnedServer, requestId: string): Promise<KnownState | null> {
    const { consoles, settings } = this.#deps;
    try {
      const { state, figures } = await consoles.measure(server, requestId);
      this.#changing.prolong(server.identifier, state);
      return Object.freeze({ resources: toResources(state, figures, settings.clock()), isOfNode: true });
    } catch (error) {
      if (!(error instanceof PanelFailure)) throw error;
      const isRefused = failureTable[error.kind].advice === 'refused';
      return isRefused ? fromPanel(unknownFor(error.kind, settings.clock())) : null;
    }
  }
}

const temporaryKinds: readonly FailureKind[] = ['restoring', 'installing'];

const fromPanel = (resources: PanelResources): KnownState => Object.freeze({ resources, isOfNode: false });

const isNoEvidence = (failure: PanelFailure) =>
  concernsWholePanel(failure) || isUnsent(failure) || failure.kind === 'serverThrottled';

const kindsThatLeaveUnknown: readonly FailureKind[] = [
  'throttled',
  'reserved',
  'serverThrottled',
  'customerThrottled',
  'busy',
  'nodeBusy',
  'nodeTimedOut',
];

/** The panel is up, but a limit refused the call, or the node was too busy for it or did not answer in time. */
const leavesStateUnknown = (error: unknown): error is PanelFailure =>
  error instanceof PanelFailure && kindsThatLeaveUnknown.includes(error.kind);

function unknownAfter(error: unknown, now: number): PanelResources {
  if (error instanceof PanelFailure) return unknownFor(error.kind, now);
  if (error instanceof ApiError) return unknownState('The panel no longer has the server.', now);
  throw error;
}

function ignoreTimeout(error: unknown) {
  if (!(error instanceof TimeoutError)) throw error;
}
