/** Clients with one keep-alive connection each, which use all protocols in turn until the service closes them. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { toolCall } from '../../support/mcp.ts';
import { send } from '../soak/send.ts';
import { Ledger } from './ledger.ts';

interface Visit {
  path: string;
  body?: object;
  /** The ticket of a right answer to a write. */
  ticketOf?: (answer: Answered) => { id: number };
}

/** The parts of the three protocols' responses that are checked. */
interface Answered {
  ticket: { id: number };
  result: { data: { ticket: { id: number } }; structuredContent: { ticket: { id: number } } };
}

const visits: ((title: string) => Visit)[] = [
  (title) => ({
    path: '/api/v1/tickets',
    body: { title, message: 'Since noon.' },
    ticketOf: ({ ticket }) => ticket,
  }),
  () => ({ path: '/api/v1/me' }),
  (title) => ({
    path: '/trpc/tickets.create',
    body: { title, message: 'Since noon.' },
    ticketOf: ({ result }) => result.data.ticket,
  }),
  () => ({ path: '/trpc/tickets.list' }),
  (title) => ({
    path: '/mcp',
    body: toolCall('create_ticket', { title, message: 'Since noon.' }),
    ticketOf: ({ result }) => result.structuredContent.ticket,
  }),
  () => ({ path: '/mcp', body: toolCall('get_my_profile') }),
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
  async leave(): Promise<void> {
    await this.#all;
    this.ledger.tookMs = performance.now() - this.#startedAt;
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
    const { path, body, ticketOf } = visits[turn % visits.length]?.(mark) ?? { path: '/' };
    if (ticketOf) this.ledger.send(mark);
    const startedAt = performance.now();
    const { status, headers, text } = await send(this.#url + path, {
      agent,
      method: body ? 'POST' : 'GET',
      headers: { 'X-API-Key': key, ...(body && { 'Content-Type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    this.answers += 1;
    if (status >= 300 || text.includes('"isError":true')) this.dropped.push(`${path}: ${status} ${text}`);
    else if (ticketOf) {
      const { id: ticketId } = ticketOf(JSON.parse(text));
      const requestId = String(headers['x-request-id']);
      this.ledger.acknowledge({ mark, key, ticketId, isTicket: true, requestId, startedAt });
    }
    return headers.connection === 'close' ? 'farewell' : 'next';
  }
}
