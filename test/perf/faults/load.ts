/** Customers who open tickets and answer them without pause while something breaks, and a ledger of what they were told. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import { Ledger } from './ledger.ts';

export interface LoadOptions {
  /** Where the service answers; the customers take turns. */
  urls: readonly string[];
  /** A customer calls with each; every second one brings an Idempotency-Key with each write, unless told not to. */
  keys: readonly string[];
  isRetried?: boolean;
  /** How long a write that brings one is tried again and again. */
  timeoutMs?: number;
}

interface Write {
  path: string;
  body: Record<string, string>;
  idempotencyKey: string | null;
}

interface Written {
  ticket?: { id: number };
}

const repliesPerTicket = 4;
/** A client waits a moment after a refusal before it calls again. */
const pauseMs = 25;
/** No answer may take so long. */
const giveUpMs = 30_000;

/** Begins at once; `stop()` ends it. */
export class Load {
  readonly ledger = new Ledger();
  readonly #options: LoadOptions;
  readonly #startedAt = performance.now();
  readonly #customers: Promise<void>[];
  #isOver = false;
  #calls = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    const { keys, isRetried = true } = options;
    this.#customers = keys.map((key, index) => this.#serve(key, isRetried && index % 2 === 0));
  }

  /** Resolves when so many more writes have been acknowledged. */
  async acknowledges(more: number, withinMs = 60_000): Promise<void> {
    const aim = this.ledger.acknowledged + more;
    const giveUpAt = performance.now() + withinMs;
    while (this.ledger.acknowledged < aim) {
      if (performance.now() > giveUpAt)
        throw new Error(`${aim - this.ledger.acknowledged} writes short after ${withinMs} ms`);
      await pass(pauseMs);
    }
  }

  /** Resolves, once a write sent from now on is acknowledged, with how long that took. */
  async recovers(withinMs = 60_000): Promise<number> {
    const from = performance.now();
    while (this.ledger.newestTryAt < from) {
      if (performance.now() - from > withinMs) throw new Error(`no write succeeded in ${withinMs} ms`);
      await pass(pauseMs);
    }
    return Math.round(performance.now() - from);
  }

  /** Lets what is in progress end; writes with an Idempotency-Key are tried until they are acknowledged. */
  async stop(): Promise<Ledger> {
    this.#isOver = true;
    await Promise.all(this.#customers);
    this.ledger.tookMs = performance.now() - this.#startedAt;
    return this.ledger;
  }

  async #serve(key: string, isKeyed: boolean): Promise<void> {
    const idempotencyKey = () => (isKeyed ? randomUUID() : null);
    while (!this.#isOver) {
      const title = randomUUID();
      const body = { title, message: 'Since noon.' };
      const ticketId = await this.#write(key, { path: '/tickets', body, idempotencyKey: idempotencyKey() });
      for (let replies = 0; ticketId && replies < repliesPerTicket && !this.#isOver; replies += 1) {
        const reply = { path: `/tickets/${ticketId}/reply`, body: { message: randomUUID() } };
        await this.#write(key, { ...reply, idempotencyKey: idempotencyKey() });
      }
    }
  }

  /** The ticket's id once the write is acknowledged; null when it was not. */
  async #write(key: string, write: Write): Promise<number | null> {
    const giveUpAt = performance.now() + (this.#options.timeoutMs ?? 90_000);
    for (;;) {
      const ticketId = await this.#try(key, write);
      if (ticketId !== null) return ticketId;
      await pass(pauseMs);
      if (!write.idempotencyKey) return null;
      if (performance.now() > giveUpAt) {
        this.ledger.giveUp(write.path);
        return null;
      }
    }
  }

  async #try(key: string, { path, body, idempotencyKey }: Write): Promise<number | null> {
    const mark = body['title'] ?? body['message'] ?? '';
    const startedAt = performance.now();
    const tookMs = () => performance.now() - startedAt;
    this.ledger.send(mark);
    try {
      const { status, text, requestId } = await this.#call(key, path, { body, idempotencyKey });
      if (status !== 201) return this.ledger.refuse({ status, text, tookMs: tookMs() });
      const { ticket } = JSON.parse(text) as Written; // any other body is a failure of the test
      const ticketId = ticket?.id ?? Number(path.split('/')[2]);
      this.ledger.acknowledge({ mark, ticketId, isTicket: ticket !== undefined, requestId, startedAt });
      return ticketId;
    } catch {
      return this.ledger.refuse({ status: 0, text: '', tookMs: tookMs() });
    }
  }

  async #call(key: string, path: string, { body, idempotencyKey }: Omit<Write, 'path'>) {
    this.#calls += 1;
    const url = this.#options.urls[this.#calls % this.#options.urls.length];
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        'X-API-Key': key,
        'Content-Type': 'application/json',
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(giveUpMs),
    });
    const requestId = response.headers.get('X-Request-Id') ?? '';
    return { status: response.status, text: await response.text(), requestId };
  }
}
