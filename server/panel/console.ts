/** Reads states and consoles at nodes. Few sockets are open at once, and few tokens are requested for them. */
import { z } from 'zod';
import { createCache } from '../../models/support/cache.ts';
import { limitByKey } from '../../models/support/queue.ts';
import type { OwnedServer, PanelConsole } from '../../routers/panel-port.ts';
import { AccessRefused, type ConsoleAccess, type ConsolePart, readConsoleSocket } from './console-socket.ts';
import { PanelFailure, unknownStateReason } from './failures.ts';
import { NodeGate } from './node-gate.ts';
import { expecting } from './panel-api.ts';
import { callOfNode } from './panel-call.ts';
import type { ServerApi } from './server-api.ts';
import type { ServerCondition } from './server-condition.ts';
import type { PanelSettings } from './settings.ts';

export const socketsMax = { total: 10, ofOwner: 5 };
const tokenLengthMax = 8 * 1024;
const tokensMax = 500;
const addressLengthMax = 1024;

const Access = z.object({
  data: z.object({ token: z.string().min(1).max(tokenLengthMax), socket: z.string().max(addressLengthMax) }),
});

/** A token is valid for ten minutes. */
const tokenTtlMs = 570_000;
/** A refused token is replaced only from this age on: panels issue five a minute for a server, including those for browsers. */
const tokenRenewalMs = 20_000;

/** Each read costs the node a connection. */
const readTtlMs = 5_000;
/** Each console may take 128 KiB. */
const readsMax = 200;

/** A server that has moved needs another token at its new node. */
const accessKeyOf = ({ identifier, nodeId }: OwnedServer) => `${nodeId} ${identifier}`;

/** A failure is cached too, so that its node is not asked again at once. */
type ReadResult = { console: PanelConsole } | { failure: unknown };

export class ConsoleReader {
  readonly #api: ServerApi;
  readonly #settings: PanelSettings;
  readonly #serverCondition: ServerCondition;
  readonly #gate: NodeGate;
  readonly #reads;
  readonly #accesses;
  readonly #oneOfEachServer = limitByKey<string>({ runningMax: 1 });

  constructor(api: ServerApi, serverCondition: ServerCondition, settings: PanelSettings) {
    this.#api = api;
    this.#settings = settings;
    this.#serverCondition = serverCondition;
    this.#gate = new NodeGate(socketsMax, settings);
    this.#accesses = createCache<OwnedServer, ConsoleAccess>({
      keyOf: accessKeyOf,
      clock: settings.clock,
      entriesMax: tokensMax,
      load: (server, requestId) => this.#requestAccess(server, requestId),
    });
    this.#reads = createCache<OwnedServer, ReadResult>({
      keyOf: ({ identifier }) => identifier,
      clock: settings.clock,
      entriesMax: readsMax,
      agesFromEnd: true,
      load: (server, requestId) => this.#read(server, requestId),
    });
  }

  async get(server: OwnedServer, requestId: string): Promise<PanelConsole> {
    // A cached read may be older than the server's condition.
    this.#serverCondition.refuseListed(server);
    const read = await this.#reads.get(server, { requestId, ageMsMax: readTtlMs });
    if ('failure' in read) throw read.failure;
    return read.console;
  }

  forget(identifier: string) {
    this.#reads.drop(identifier);
  }

  async #read(server: OwnedServer, requestId: string): Promise<ReadResult> {
    const { onConsoleRead } = this.#settings;
    try {
      const console = await this.#readLines(server, requestId);
      onConsoleRead('read');
      return { console };
    } catch (failure) {
      const outcome = failure instanceof PanelFailure ? failure.kind : 'refused';
      onConsoleRead(outcome);
      // No call was sent, so the next caller may try at once.
      if (outcome === 'busy') throw failure;
      return { failure };
    }
  }

  async #readLines(server: OwnedServer, requestId: string): Promise<PanelConsole> {
    await this.#serverCondition.refuse(server, requestId);
    const { state, lines } = await this.#converse(server, requestId, 'lines');
    const reason = state === 'unknown' ? unknownStateReason : null;
    return Object.freeze({ state, reason, lines: Object.freeze(lines), readAt: this.#settings.clock() });
  }

  /** Does not check the server's condition, which the live state reads from the panel. */
  measure(server: OwnedServer, requestId: string) {
    return this.#converse(server, requestId, 'figures');
  }

  async #converse(server: OwnedServer, requestId: string, wanted: ConsolePart) {
    const read = async () => {
      const access = await this.#accesses.get(server, { requestId, ageMsMax: tokenTtlMs });
      return this.#open(server, () => readConsoleSocket(access, this.#settings, wanted));
    };
    try {
      return await read();
    } catch (failure) {
      const isNew = this.#accesses.peek(server, tokenRenewalMs) !== undefined;
      if (!(failure instanceof AccessRefused) || isNew) throw failure;
      this.#accesses.drop(accessKeyOf(server));
      return read();
    }
  }

  async #requestAccess(server: OwnedServer, requestId: string): Promise<ConsoleAccess> {
    const request = { server, rest: 'websocket', requestId, needsNode: false };
    const access = await this.#api.send(request, expecting([200], 'Server', parseAccess));
    this.#settings.panelAddress.learn(access.token);
    return access;
  }

  #open<Value>(server: OwnedServer, read: () => Promise<Value>): Promise<Value> {
    const call = callOfNode(server, 'console');
    const { evidence } = this.#settings;
    return this.#oneOfEachServer(server.identifier, () =>
      this.#gate.run(call, () => evidence.sendAndRecord(call, read)),
    );
  }
}

function parseAccess(body: unknown) {
  const parsed = Access.safeParse(body);
  if (parsed.success) return parsed.data.data;
  // zod's message is not used, because it may quote the token.
  throw new PanelFailure('malformed', { reason: 'no token and address for a console' });
}
