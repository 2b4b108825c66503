/**
 * Who tells the state of a server: its node, over its socket, while the server changes, and otherwise the panel, which keeps
 * what nodes told for 20 seconds, also after a signal. Cached and coalesced per server.
 */

import type { ServerChange } from '../../models/server-change.ts';
import { createCache } from '../../models/support/cache.ts';
import type { LocatedServer, PanelResources } from '../../routers/panel-port.ts';
import { Changes } from './changes.ts';
import type { ConsoleReader } from './console.ts';
import { type FailureKind, failureTable, isOfPanel, PanelFailure } from './failures.ts';
import type { PanelSettings, SharedChanges } from './options.ts';
import { expecting } from './panel-api.ts';
import { createReads, type ReadPolicy } from './reads.ts';
import { parseResources, toResources, unknownFor } from './resources.ts';
import type { ServerApi } from './server-api.ts';
import { listedCondition } from './server-view.ts';

interface StateAsk {
  requestId: string;
  freshMs?: number | undefined;
  waitMs?: number | undefined;
}

interface Known {
  resources: PanelResources;
  isOfNode: boolean;
}

const panelKeepsMs = 20_000;

export interface StateDeps {
  api: ServerApi;
  consoles: ConsoleReader;
  settings: PanelSettings;
  /** Drops what is kept elsewhere of a server that changes. */
  forget(change: ServerChange): void;
}

export class StateSources {
  readonly #api: ServerApi;
  readonly #forget: StateDeps['forget'];
  readonly #consoles: ConsoleReader;
  readonly #settings: PanelSettings;
  readonly #changes: Changes;
  readonly #states;
  readonly #others;

  constructor({ api, consoles, settings, forget }: StateDeps) {
    this.#api = api;
    this.#forget = forget;
    this.#consoles = consoles;
    this.#settings = settings;
    this.#changes = new Changes(settings);
    this.#states = createReads<LocatedServer, Known>({
      api,
      keyOf: ({ identifier }) => identifier,
      clock: settings.clock,
      entriesMax: settings.liveStatesMax,
      load: (server, requestId) => this.#load(server, requestId),
    });
    this.#others = createCache<SharedChanges, true>({
      clock: settings.clock,
      entriesMax: 1,
      load: (sharedChanges) => this.#heed(sharedChanges),
    });
  }

  /** To be awaited before what is cached is used: what other processes have sent counts within a second. */
  async heedOthers(): Promise<void> {
    const { sharedChanges, changingTtlMs } = this.#settings;
    if (!sharedChanges) return;
    // A database that does not answer fails the caller's own reads.
    await this.#others.get(sharedChanges, { requestId: '', ageMsMax: changingTtlMs }).catch(() => {});
  }

  async #heed(sharedChanges: SharedChanges): Promise<true> {
    for (const change of await sharedChanges.listNew()) this.#begin(change);
    return true;
  }

  #begin(change: ServerChange) {
    this.#states.drop(change.identifier);
    this.#forget(change);
    this.#changes.begin(change.identifier, change.isAccepted);
  }

  known(server: LocatedServer, freshMs?: number): PanelResources | undefined {
    return this.#states.known(server, this.#policyOf(server, freshMs))?.resources;
  }

  /** @param options `freshMs`: how old it may be; what is told of a server that changes is fresh for a shorter time */
  async get(server: LocatedServer, { requestId, freshMs, waitMs }: StateAsk): Promise<PanelResources> {
    const policy = { ...this.#policyOf(server, freshMs), waitMs };
    return (await this.#states.get(server, requestId, policy)).resources;
  }

  /** What the server does now, as its node or else its panel tells. */
  async stateNow(server: LocatedServer, requestId: string): Promise<PanelResources['state']> {
    const { resources } =
      (await this.#askNode(server, requestId)) ?? (await this.#askPanel(server, requestId));
    return resources.state;
  }

  /**
   * To be called after a signal or a command.
   * @param isAccepted whether the panel took it, which it does of no server that is suspended, installing or similar
   */
  beginChange({ identifier }: LocatedServer, isAccepted: boolean) {
    this.#beginForAll({ identifier, ownerId: null, isAccepted });
  }

  /** Its node still says that it is off: the panel alone tells that it is being restored. */
  beginRestore({ identifier, ownerId }: LocatedServer) {
    this.#beginForAll({ identifier, ownerId, isAccepted: false });
  }

  #beginForAll(change: ServerChange) {
    this.#begin(change);
    this.#settings.sharedChanges?.note(change);
  }

  /** What the panel tells is as old afterwards as it is now. */
  #policyOf(server: LocatedServer, freshMs?: number): ReadPolicy {
    const { liveTtlMs, changingTtlMs, staleMsMax: staleMs } = this.#settings;
    const isOfNode = this.#states.known(server, { freshMs: liveTtlMs, staleMs: null })?.isOfNode;
    const ttlMs = isOfNode && this.#changes.has(server.identifier) ? changingTtlMs : liveTtlMs;
    return { freshMs: freshMs ?? ttlMs, staleMs };
  }

  async #load(server: LocatedServer, requestId: string): Promise<Known> {
    const { identifier } = server;
    const told = this.#changes.needsPanel(identifier) ? await this.#askPanel(server, requestId) : null;
    if (told) {
      const { state } = told.resources;
      if (state === 'unknown') return told;
      this.#changes.confirm(identifier, state);
      if (!this.#changes.has(identifier)) return told;
    }
    return (await this.#askNode(server, requestId)) ?? told ?? this.#askPanel(server, requestId);
  }

  async #askPanel(server: LocatedServer, requestId: string): Promise<Known> {
    const { clock } = this.#settings;
    const parse = (body: unknown) => parseResources(body, clock() - panelKeepsMs);
    const request = { server, rest: 'resources', requestId };
    try {
      return fromPanel(await this.#api.send(request, expecting([200], 'Server', parse)));
    } catch (error) {
      if (!(error instanceof PanelFailure) || saysNothing(error)) throw error;
      // Of an installation that failed it says what it says of one in progress.
      const kind = error.kind === 'installing' ? (listedCondition(server) ?? error.kind) : error.kind;
      return fromPanel(unknownFor(kind, clock()));
    }
  }

  /** Null where the node told nothing. */
  async #askNode(server: LocatedServer, requestId: string): Promise<Known | null> {
    const { clock } = this.#settings;
    try {
      const { state, figures } = await this.#consoles.measure(server, requestId);
      this.#changes.prolong(server.identifier, state);
      return Object.freeze({ resources: toResources(state, figures, clock()), isOfNode: true });
    } catch (error) {
      if (!(error instanceof PanelFailure)) throw error;
      const isRefused = failureTable[error.kind].advice === 'refused';
      return isRefused ? fromPanel(unknownFor(error.kind, clock())) : null;
    }
  }
}

const fromPanel = (resources: PanelResources): Known => Object.freeze({ resources, isOfNode: false });

const notAsked: readonly FailureKind[] = [
  'busy',
  'nodeBusy',
  'reserved',
  'serverThrottled',
  'customerThrottled',
];

/** Failures after which nothing new is known of the one server. */
const saysNothing = (failure: PanelFailure) => isOfPanel(failure) || notAsked.includes(failure.kind);
