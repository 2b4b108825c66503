/** Customers who open tickets and answer them without pause while something breaks, and a ledger of what they were told. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { callApi } from './call.ts';
import { Ledger } from './ledger.ts';
import { timeUntil } from './time-until.ts';

export interface LoadOptions {
  /** Where the service answers; the customers take turns. */
  urls: readonly string[];
  /** A customer calls with each; every second one brings an Idempotency-Key with each write, unless told not to. */
  keys: readonly string[];
  isRetried?: boolean;
  /** How long a write that brings one is tried again and again. */
  timeoutMs?: number;
  /** How many tickets are opened, each until it is acknowledged; without it, as many as can be until `stop()`. */
  ticketsMax?: number;
  repliesPerTicket?: number;
}

interface Write {
  path: string;
  body: Record<string, string>;
  idempotencyKey: string | null;
}

/** A client waits a moment after a refusal before it calls again. */
const pauseMs = 25;
/** Long: on a busy machine everything takes its time. */
const patienceMs = 120_000;

/** Begins at once; `stop()` ends it. */
export class Load {
  readonly ledger = new Ledger();
  readonly #options: LoadOptions;
  readonly #startedAt = performance.now();
  readonly #customers: Promise<void>[];
  #isOver = false;
  #calls = 0;
  #tickets = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    const { keys, isRetried = true, ticketsMax } = options;
    const isKeyed = (index: number) => ticketsMax !== undefined || (isRetried && index % 2 === 0);
    this.#customers = keys.map((key, index) => this.#serve(key, isKeyed(index)));
  }

  /** Resolves when so many more writes have been acknowledged. */
  async acknowledges(more: number): Promise<void> {
    const { acknowledged } = this.ledger;
    const aim = acknowledged.length + more;
    await eventually(async () => {
      if (acknowledged.length < aim) throw new Error(`${aim - acknowledged.length} writes short`);
    }, patienceMs);
  }

  /** Resolves, once a write sent from now on is acknowledged, with how long that took. */
  recovers(): Promise<number> {
    const from = performance.now();
    return timeUntil(async () => {
      if (this.ledger.newestTryAt < from) throw new Error('no write succeeds');
    }, patienceMs);
  }

  /** Resolves when `ticketsMax` have been opened. */
  async ends(): Promise<Ledger> {
    await Promise.all(this.#customers);
    this.ledger.tookMs = performance.now() - this.#startedAt;
    return this.ledger;
  }

  /** Lets what is in progress end; writes with an Idempotency-Key are tried until they are acknowledged. */
  async stop(): Promise<Ledger> {
    this.#isOver = true;
    return this.ends();
  }

  async #serve(key: string, isKeyed: boolean): Promise<void> {
    const { ticketsMax = Number.POSITIVE_INFINITY, repliesPerTicket = 4 } = this.#options;
    const idempotencyKey = () => (isKeyed ? randomUUID() : null);
    while (!this.#isOver && this.#tickets++ < ticketsMax) {
      const title = randomUUID();
      const body = { title, message: 'Since noon.' };
      const ticketId = await this.#write(key, { path: '/tickets', body, idempotencyKey: idempotencyKey() });
      for (let replies = 0; ticketId && replies < repliesPerTicket && !this.#isOver; replies += 1) {
        const reply = { path: `/tickets/${ticketId}/reply`, body: { message: randomUUID() } };
        await this.#write(key, { ...reply, idempotencyKey: idempotencyKey() });
      }
      if (ticketId) await this.#close(key, ticketId);
    }
  }

  /** A customer may have a hundred open tickets. A try that fails leaves one of them open. */
  async #close(key: string, ticketId: number): Promise<void> {
    const url = this.#options.urls[this.#calls % this.#options.urls.length] ?? '';
    await callApi(url, `/tickets/${ticketId}/close`, { key, body: {} }).catch(() => {});
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
    this.#calls += 1;
    const url = this.#options.urls[this.#calls % this.#options.urls.length] ?? '';
    const headers = idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {};
    try {
      const { status, text, headers: told } = await callApi(url, path, { key, body, headers });
      if (status !== 201) return this.ledger.refuse({ status, text, tookMs: tookMs() });
      const { ticket } = JSON.parse(text); // any other body is a failure of the test
      const ticketId: number = ticket?.id ?? Number(path.split('/')[2]);
      const requestId = told.get('X-Request-Id') ?? '';
      const isTicket = ticket !== undefined;
      this.ledger.acknowledge({ mark, key, ticketId, isTicket, requestId, startedAt });
      return ticketId;
    } catch {
      return this.ledger.refuse({ status: 0, text: '', tookMs: tookMs() });
    }
  }
}
