/**
 * Who tells the state of a server: its node, over its socket, while the server changes, and otherwise the panel, which keeps
 * what nodes told for 20 seconds, also after a signal. Cached and coalesced per server.
 */
import type { LocatedServer, PanelResources } from '../../routers/panel-port.ts';
import { createCache } from './cache.ts';
import type { ConsoleReader } from './console.ts';
import { type FailureKind, failureTable, isOfPanel, PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { expecting } from './panel-api.ts';
import { parseResources, toResources, unknownFor } from './resources.ts';
import type { ServerApi } from './server-api.ts';

export interface StateAsk {
  requestId: string;
  /** Without it, as old as it may be served from cache. */
  ageMsMax?: number | undefined;
}

interface Known {
  resources: PanelResources;
  isOfNode: boolean;
}

const panelKeepsMs = 20_000;

export class StateSources {
  readonly #api: ServerApi;
  readonly #consoles: ConsoleReader;
  readonly #settings: PanelSettings;
  readonly #changes: Changes;
  readonly #cache;

  constructor(api: ServerApi, consoles: ConsoleReader, settings: PanelSettings) {
    this.#api = api;
    this.#consoles = consoles;
    this.#settings = settings;
    this.#changes = new Changes(settings);
    this.#cache = createCache<LocatedServer, Known>({
      keyOf: ({ identifier }) => identifier,
      clock: settings.clock,
      entriesMax: settings.liveStatesMax,
      load: (server, requestId) => this.#load(server, requestId),
    });
  }

  peek(server: LocatedServer, ageMsMax = this.#ttlMsOf(server)): PanelResources | undefined {
    return this.#cache.peek(server, ageMsMax)?.resources;
  }

  async get(server: LocatedServer, { requestId, ageMsMax }: StateAsk): Promise<PanelResources> {
    const options = { requestId, ageMsMax: ageMsMax ?? this.#ttlMsOf(server) };
    return (await this.#cache.get(server, options)).resources;
  }

  /** Whether the server is off now, as far as its node or else its panel tells. */
  async isOff(server: LocatedServer, requestId: string): Promise<boolean> {
    const { resources } =
      (await this.#askNode(server, requestId)) ?? (await this.#askPanel(server, requestId));
    return resources.state === 'offline';
  }

  /**
   * To be called after a signal or a command.
   * @param isAccepted whether the panel took it, which it does of no server that is suspended, installing or similar
   */
  beginChange(server: LocatedServer, isAccepted: boolean) {
    this.#cache.drop(server);
    this.#changes.begin(server.identifier, isAccepted);
  }

  /** What the panel tells is as old afterwards as it is now. */
  #ttlMsOf(server: LocatedServer) {
    const { liveTtlMs, changingTtlMs } = this.#settings;
    const isOfNode = this.#cache.peek(server, liveTtlMs)?.isOfNode;
    return isOfNode && this.#changes.has(server.identifier) ? changingTtlMs : liveTtlMs;
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
      return fromPanel(unknownFor(error.kind, clock()));
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

const notAsked: readonly FailureKind[] = ['busy', 'nodeBusy'];

/** Failures after which nothing new is known of the one server. */
const saysNothing = (failure: PanelFailure) => isOfPanel(failure) || notAsked.includes(failure.kind);

const isMoving = (state: PanelResources['state']) => state === 'starting' || state === 'stopping';

interface Change {
  beganAt: number;
  until: number;
  /** When the panel last accepted a call about the server. */
  acceptedAt: number;
}

/** Servers that got a signal or a command a short while ago, or that were seen starting or stopping. */
class Changes {
  readonly #settings: PanelSettings;
  readonly #changes = new Map<string, Change>();

  constructor(settings: PanelSettings) {
    this.#settings = settings;
  }

  has(identifier: string) {
    return this.#find(identifier) !== null;
  }

  begin(identifier: string, isAccepted: boolean) {
    const { clock, changingMs, liveStatesMax } = this.#settings;
    const beganAt = clock();
    const acceptedAt = isAccepted ? beganAt : Number.NEGATIVE_INFINITY;
    this.#changes.delete(identifier);
    this.#changes.set(identifier, { beganAt, until: beganAt + changingMs, acceptedAt });
    const [oldest] = this.#changes.keys();
    if (this.#changes.size > liveStatesMax && oldest !== undefined) this.#changes.delete(oldest);
  }

  /**
   * Whether the panel is to be asked if anything keeps the server from running: a node's socket does not tell. Often at
   * first, then as often as of a server that does not change, so that a long change costs few calls.
   */
  needsPanel(identifier: string) {
    const change = this.#find(identifier);
    if (!change) return true;
    const { clock, conditionTtlMs, liveTtlMs } = this.#settings;
    const elapsedMs = clock() - change.beganAt;
    const ageMsMax = Math.min(Math.max(conditionTtlMs, elapsedMs / 2), liveTtlMs);
    return clock() - change.acceptedAt >= ageMsMax;
  }

  /** To be called when the panel has told a state, which may be as old as it keeps it. */
  confirm(identifier: string, state: PanelResources['state']) {
    const change = this.#find(identifier);
    if (change) change.acceptedAt = this.#settings.clock();
    else if (isMoving(state)) this.begin(identifier, true);
  }

  /** To be called when the node has told a state. */
  prolong(identifier: string, state: PanelResources['state']) {
    const change = this.#find(identifier);
    if (change && isMoving(state)) change.until = this.#settings.clock() + this.#settings.changingMs;
  }

  #find(identifier: string): Change | null {
    const change = this.#changes.get(identifier);
    return change && change.until > this.#settings.clock() ? change : null;
  }
}
