/** Clients with one keep-alive connection each, which use all protocols in turn until the service closes them. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { Ledger } from './ledger.ts';
import { type Protocol, requestOf, unwrap } from './request-mix.ts';
import { send } from './send.ts';

const visits: [operation: string, protocol: Protocol][] = [
  ['tickets.create', 'rest'],
  ['account.me', 'rest'],
  ['tickets.create', 'trpc'],
  ['tickets.list', 'trpc'],
  ['tickets.create', 'mcp'],
  ['account.me', 'mcp'],
];

interface Options {
  url: string;
  /** As many visitors as keys. */
  keys: readonly string[];
}

/** They begin at once. */
export class Visitors {
  readonly ledger = new Ledger();
  /** How connections ended without a farewell, and answers that were no success. */
  readonly dropped: string[] = [];
  answers = 0;
  readonly #url: string;
  readonly #startedAt = performance.now();
  readonly #all: Promise<unknown>;

  constructor({ url, keys }: Options) {
    this.#url = url;
    this.#all = Promise.all(keys.map((key, index) => this.#stay(key, index)));
  }

  /** Resolves when each has been bidden farewell, or has been dropped. */
  async stop(): Promise<Ledger> {
    await this.#all;
    this.ledger.tookMs = performance.now() - this.#startedAt;
    return this.ledger;
  }

  async #stay(key: string, firstTurn: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (let turn = firstTurn; ; turn += 1)
        if ((await this.#visit(agent, key, turn)) === 'farewell') return;
    } catch (failure) {
      this.dropped.push(String(failure));
    } finally {
      agent.destroy();
    }
  }

  async #visit(agent: Agent, key: string, turn: number): Promise<'farewell' | 'next'> {
    const mark = randomUUID();
    const [name, protocol] = visits[turn % visits.length] ?? ['account.me', 'rest'];
    const isWrite = name === 'tickets.create';
    if (isWrite) this.ledger.send(mark);
    const startedAt = performance.now();
    const input = isWrite ? { title: mark, message: 'Since noon.' } : {};
    const { path, ...call } = requestOf(name, protocol, { key, input });
    const { status, headers, text } = await send(`${this.#url}${path}`, { agent, ...call });
    this.answers += 1;
    if (status >= 300 || text.includes('"isError":true')) this.dropped.push(`${path}: ${status} ${text}`);
    else if (isWrite) {
      const { ticket } = unwrap(protocol, text);
      const requestId = String(headers['x-request-id']);
      this.ledger.acknowledge({ mark, key, ticketId: ticket.id, isTicket: true, requestId, startedAt });
    }
    return headers.connection === 'close' ? 'farewell' : 'next';
  }
}
