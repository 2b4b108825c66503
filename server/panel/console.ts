/** Reads consoles: at most one read of a server in five seconds, shared by all callers, and few sockets at once. */
import { z } from 'zod';
import type { PanelConsole, PanelServer } from '../../routers/panel-port.ts';
import { readConsoleSocket } from './console-socket.ts';
import { type ConsoleReadOutcome, PanelFailure } from './failures.ts';
import { NodeGate } from './node-gate.ts';
import type { PanelSettings } from './options.ts';
import { expecting } from './panel-api.ts';
import type { ServerApi } from './server-api.ts';

/** At once, per process; and to one node, and of one customer. */
const socketsMax = { total: 10, each: 5 };
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
  readonly #api: ServerApi;
  readonly #settings: PanelSettings;
  readonly #gate: NodeGate;
  readonly #reads = new Map<string, Read>();

  constructor(api: ServerApi, settings: PanelSettings) {
    this.#api = api;
    this.#settings = settings;
    this.#gate = new NodeGate(socketsMax, settings);
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
    const outcome = this.#read(server, requestId);
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

  async #read(server: PanelServer, requestId: string): Promise<PanelConsole> {
    this.#api.requireReads();
    const request = { server, rest: 'websocket', requestId, needsNode: false };
    const access = await this.#api.send(request, expecting([200], 'Server', parseAccess));
    const { state, lines } = await this.#gate.run({ server, isWrite: false, needsNode: true }, () =>
      readConsoleSocket(access, this.#settings),
    );
    return Object.freeze({ state, lines: Object.freeze(lines), readAt: this.#settings.clock() });
  }
}

function parseAccess(body: unknown) {
  const parsed = Access.safeParse(body);
  if (parsed.success) return parsed.data.data;
  // Not in zod's words, which may quote the token.
  throw new PanelFailure('malformed', { reason: 'no token and address of a console' });
}
