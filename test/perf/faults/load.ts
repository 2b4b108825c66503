/** Customers who open and answer tickets without pause during a fault, and a ledger of the answers they got. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { callApi } from './call.ts';
import { endInOrder, Ledger } from './ledger.ts';

interface LoadOptions {
  /** Addresses of the service; customers use them in turn. */
  urls: readonly string[];
  /** One per customer; by default every second customer sends an Idempotency-Key with each write. */
  keys: readonly string[];
  isRetried?: boolean;
  /** How long a write with an Idempotency-Key is retried. */
  timeoutMs?: number;
  /** How many tickets are opened, each until acknowledged; without it, as many as possible until `stop()`. */
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
/** Long, as a busy machine is slow. */
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

  /** Resolves when `more` writes have been acknowledged. */
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
      if (!this.ledger.acknowledged.some(({ startedAt }) => startedAt > from))
        throw new Error('no write succeeds');
    }, patienceMs);
  }

  async ends(): Promise<Ledger> {
    await Promise.all(this.#customers);
    this.ledger.tookMs = performance.now() - this.#startedAt;
    return this.ledger;
  }

  /** Waits for calls in progress; writes with an Idempotency-Key are retried until acknowledged. */
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
      // A customer may have a hundred open tickets. A failed attempt leaves one of them open.
      if (ticketId)
        await callApi(this.#url(), `/tickets/${ticketId}/close`, { key, body: {} }).catch(() => {});
    }
  }

  /** Resolves to the ticket's id once the write is acknowledged, or to null. */
  async #write(key: string, write: Write): Promise<number | null> {
    const giveUpAt = performance.now() + (this.#options.timeoutMs ?? 90_000);
    for (;;) {
      const ticketId = await this.#try(key, write);
      if (ticketId !== null) return ticketId;
      await pass(pauseMs);
      if (!write.idempotencyKey) return null;
      if (performance.now() < giveUpAt) continue;
      this.ledger.givenUp.push(write.path);
      return null;
    }
  }

  async #try(key: string, { path, body, idempotencyKey }: Write): Promise<number | null> {
    const mark = body['title'] ?? body['message'] ?? '';
    const startedAt = performance.now();
    this.ledger.sent.add(mark);
    const headers = idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {};
    const answer = await callApi(this.#url(), path, { key, body, headers }).catch(() => null);
    if (answer?.status !== 201) {
      this.ledger.refuse(answer?.status ?? 0, answer?.text ?? '', performance.now() - startedAt);
      return null;
    }
    const { ticket } = answer.body;
    const ticketId: number = ticket?.id ?? Number(path.split('/')[2]);
    const requestId = answer.headers.get('X-Request-Id') ?? '';
    const isTicket = ticket !== undefined;
    this.ledger.acknowledged.push({ mark, key, ticketId, isTicket, requestId, startedAt });
    return ticketId;
  }

  /** The processes take turns. */
  #url(): string {
    this.#calls += 1;
    return this.#options.urls[this.#calls % this.#options.urls.length] ?? '';
  }
}

/** Resolves to the milliseconds until `attempt` succeeds; throws its last failure after too long. */
export async function timeUntil(attempt: () => Promise<void>, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  await eventually(attempt, withinMs);
  return Math.round(performance.now() - startedAt);
}

/** Breaks something under load: writes must succeed again before the function from `breakIt` repairs it, and the load ends in order. */
export async function survive(
  fault: string,
  { keys, urls, ...end }: Pick<LoadOptions, 'keys' | 'urls'> & { uri: string; program: { output(): string } },
  breakIt: () => Promise<(() => unknown) | undefined>,
): Promise<void> {
  const load = new Load({ keys, urls });
  await load.acknowledges(300);
  const mend = await breakIt();
  const recoveredMs = await load.recovers();
  await load.acknowledges(300);
  await mend?.();
  await load.acknowledges(300);
  await endInOrder(fault, { ...end, load, figures: { 'recovered after ms': recoveredMs } });
}
