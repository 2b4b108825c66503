/** Reads consoles: at most one read of a server in five seconds, shared by all callers, and few sockets at once. */
import { z } from 'zod';
import type { PanelConsole, PanelServer } from '../../routers/panel-port.ts';
import { readConsoleSocket } from './console-socket.ts';
import { type ConsoleReadOutcome, isOfServer, PanelFailure, reasonOf, reasonOfNewState } from './failures.ts';
import { NodeConcurrencyLimit } from './node-concurrency-limit.ts';
import type { PanelSettings } from './options.ts';
import { expecting, type PanelApiClient, serverPath } from './panel-api.ts';
import { createServerConditions } from './server-view.ts';

/** At once, per process. */
const socketsMax = 10;
const socketsPerNodeMax = 5;
const waitingMax = 40;
const tokenLengthMax = 8 * 1024;
const addressLengthMax = 1024;

const Access = z.object({
  data: z.object({ token: z.string().min(1).max(tokenLengthMax), socket: z.string().max(addressLengthMax) }),
});

interface Read {
  /** Null: not yet. A read that waited or took long may not be followed by another at once. */
  endedAt: number | null;
  outcome: Promise<PanelConsole>;
}

export class ConsoleReader {
  readonly #api: PanelApiClient;
  readonly #settings: PanelSettings;
  readonly #conditionOf: ReturnType<typeof createServerConditions>;
  readonly #limit = new NodeConcurrencyLimit({
    total: socketsMax,
    perNode: () => socketsPerNodeMax,
    waitingMax,
  });
  readonly #reads = new Map<string, Read>();

  constructor(api: PanelApiClient, settings: PanelSettings) {
    this.#api = api;
    this.#settings = settings;
    this.#conditionOf = createServerConditions(api, settings);
  }

  async get(server: PanelServer, requestId: string): Promise<PanelConsole> {
    const last = this.#reads.get(server.identifier);
    if (last && this.#isCurrent(last)) return last.outcome;
    for (const [identifier, old] of this.#reads) if (!this.#isCurrent(old)) this.#reads.delete(identifier);
    const started = this.#start(server, requestId);
    this.#reads.set(server.identifier, started);
    return started.outcome;
  }

  #isCurrent({ endedAt }: Read) {
    if (endedAt === null) return true;
    const ageMs = this.#settings.clock() - endedAt;
    return ageMs >= 0 && ageMs < this.#settings.consoleTtlMs;
  }

  #start(server: PanelServer, requestId: string): Read {
    const signal = AbortSignal.timeout(this.#settings.consoleWaitMs);
    const outcome = this.#limit.run(server.nodeId, signal, () => this.#read(server, requestId));
    const started: Read = { endedAt: null, outcome };
    const end = (result: ConsoleReadOutcome) => {
      started.endedAt = this.#settings.clock();
      this.#settings.onConsoleRead(result);
      // Nothing was read: the next caller may try at once.
      if (result === 'busy') this.#reads.delete(server.identifier);
    };
    outcome.then(
      () => end('read'),
      (error: unknown) => end(error instanceof PanelFailure ? error.kind : 'refused'),
    );
    return started;
  }

  /** A server that cannot be used is `unknown` as in its live state: its node may say anything of it, such as offline. */
  async #read({ identifier }: PanelServer, requestId: string): Promise<PanelConsole> {
    this.#api.requireReads();
    try {
      const request = { path: serverPath(identifier, 'websocket'), requestId };
      const access = await this.#api.send(request, expecting([200], 'Server', parseAccess));
      this.#settings.ownAddress.learn(access.token);
      const condition = await this.#conditionOf(identifier, requestId);
      if (condition) throw new PanelFailure(condition);
      const { state, lines } = await readConsoleSocket(access, this.#settings);
      return this.#present({ state, reason: state === 'unknown' ? reasonOfNewState : null, lines });
    } catch (error) {
      if (!(error instanceof PanelFailure) || !isOfServer(error)) throw error;
      return this.#present({ state: 'unknown', reason: reasonOf(error.kind), lines: [] });
    }
  }

  #present({ lines, ...read }: Omit<PanelConsole, 'readAt'>): PanelConsole {
    return Object.freeze({ ...read, lines: Object.freeze(lines), readAt: this.#settings.clock() });
  }
}

function parseAccess(body: unknown) {
  const parsed = Access.safeParse(body);
  if (parsed.success) return parsed.data.data;
  // Not in zod's words, which may quote the token.
  throw new PanelFailure('malformed', { reason: 'no token and address of a console' });
}
