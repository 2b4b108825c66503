/**
 * Reads at nodes: consoles, at most one read of a server in five seconds, shared by all callers; and states. Few sockets at
 * once.
 */
import { z } from 'zod';
import { createCache } from '../../models/support/cache.ts';
import { limitByKey } from '../../models/support/limit-by-key.ts';
import type { LocatedServer, PanelConsole, PanelServer } from '../../routers/panel-port.ts';
import { type ConsoleAccess, readConsoleSocket } from './console-socket.ts';
import { isOfServer, PanelFailure, reasonOf, reasonOfNewState } from './failures.ts';
import { NodeGate } from './node-gate.ts';
import type { PanelSettings } from './options.ts';
import { expecting } from './panel-api.ts';
import type { ServerApi } from './server-api.ts';
import { createServerConditions } from './server-view.ts';

/** At once, per process; and to one node, and of one customer. */
const socketsMax = { total: 10, each: 5 };
const tokenLengthMax = 8 * 1024;
const tokensMax = 500;
const addressLengthMax = 1024;

const Access = z.object({
  data: z.object({ token: z.string().min(1).max(tokenLengthMax), socket: z.string().max(addressLengthMax) }),
});

/** Results of reads that are held; a console may have 128 KiB. */
const readsMax = 200;

/** A failure, too, keeps a node from being asked again at once. */
type Read = { console: PanelConsole } | { failure: unknown };

export class ConsoleReader {
  readonly #api: ServerApi;
  readonly #settings: PanelSettings;
  readonly #conditionOf: ReturnType<typeof createServerConditions>;
  readonly #gate: NodeGate;
  readonly #reads;
  readonly #accesses;
  readonly #oneOfEachServer = limitByKey<string>(1);

  constructor(api: ServerApi, settings: PanelSettings) {
    this.#api = api;
    this.#settings = settings;
    this.#conditionOf = createServerConditions(api, settings);
    this.#gate = new NodeGate(socketsMax, settings);
    this.#accesses = createCache<LocatedServer, ConsoleAccess>({
      keyOf: ({ identifier }) => identifier,
      clock: settings.clock,
      entriesMax: tokensMax,
      load: (server, requestId) => this.#requestAccess(server, requestId),
    });
    this.#reads = createCache<PanelServer, Read>({
      keyOf: ({ identifier }) => identifier,
      clock: settings.clock,
      entriesMax: readsMax,
      agesFromEnd: true,
      load: (server, requestId) => this.#read(server, requestId),
    });
  }

  async get(server: PanelServer, requestId: string): Promise<PanelConsole> {
    const read = await this.#reads.get(server, { requestId, ageMsMax: this.#settings.consoleTtlMs });
    if ('failure' in read) throw read.failure;
    return read.console;
  }

  async #read(server: PanelServer, requestId: string): Promise<Read> {
    const { onConsoleRead } = this.#settings;
    try {
      const console = await this.#readLines(server, requestId);
      onConsoleRead('read');
      return { console };
    } catch (failure) {
      const outcome = failure instanceof PanelFailure ? failure.kind : 'refused';
      onConsoleRead(outcome);
      // Nothing was read: the next caller may try at once.
      if (outcome === 'busy') throw failure;
      return { failure };
    }
  }

  /** A server that cannot be used is `unknown` as in its live state: its node may say anything of it, such as offline. */
  async #readLines(server: PanelServer, requestId: string): Promise<PanelConsole> {
    try {
      // The panel refuses some consoles only here.
      const access = await this.#accesses.get(server, { requestId, ageMsMax: 0 });
      const condition = await this.#conditionOf(server, requestId);
      if (condition) throw new PanelFailure(condition);
      const { state, lines } = await this.#open(server, () => readConsoleSocket(access, this.#settings));
      return this.#present({ state, reason: state === 'unknown' ? reasonOfNewState : null, lines });
    } catch (error) {
      if (!(error instanceof PanelFailure) || !isOfServer(error)) throw error;
      return this.#present({ state: 'unknown', reason: reasonOf(error.kind), lines: [] });
    }
  }

  #present({ lines, ...read }: Omit<PanelConsole, 'readAt'>): PanelConsole {
    return Object.freeze({ ...read, lines: Object.freeze(lines), readAt: this.#settings.clock() });
  }

  /** The state and the figures of a server as its node has them now. */
  async measure(server: LocatedServer, requestId: string) {
    const ageMsMax = this.#settings.tokenTtlMs;
    const read = (access: ConsoleAccess) =>
      this.#open(server, () => readConsoleSocket(access, this.#settings, 'figures'));
    const kept = this.#accesses.peek(server, ageMsMax);
    // A node that was restarted takes no token of before.
    const known = kept && (await read(kept).catch(() => null));
    if (known) return known;
    this.#accesses.drop(server.identifier);
    return read(await this.#accesses.get(server, { requestId, ageMsMax }));
  }

  async #requestAccess(server: LocatedServer, requestId: string): Promise<ConsoleAccess> {
    const request = { server, rest: 'websocket', requestId, needsNode: false };
    const access = await this.#api.send(request, expecting([200], 'Server', parseAccess));
    this.#settings.ownAddress.learn(access.token);
    return access;
  }

  /** One socket of a server at a time. */
  #open<Value>(server: LocatedServer, read: () => Promise<Value>): Promise<Value> {
    return this.#oneOfEachServer(server.identifier, () =>
      this.#gate.run({ server, isWrite: false, needsNode: true }, read),
    );
  }
}

function parseAccess(body: unknown) {
  const parsed = Access.safeParse(body);
  if (parsed.success) return parsed.data.data;
  // Not in zod's words, which may quote the token.
  throw new PanelFailure('malformed', { reason: 'no token and address of a console' });
}
