/**
 * Open-loop load: requests leave at a steady rate, however slow the answers are, and each is measured from the moment it was
 * due. A closed loop would wait with a slow service, and so leave out the very requests that suffer.
 */
import { Agent } from 'node:http';
import { createHistogram, performance } from 'node:perf_hooks';
import type { MixedRequest } from './request-mix.ts';
import { send } from './send.ts';

interface LoadOptions {
  url: string;
  requests: Iterator<MixedRequest>;
  /** Requests a second. */
  rate: number;
  /** At most so many are kept. */
  connections?: number;
  /** One request in so many has a connection of its own, which ends with it. */
  aloneEvery?: number;
}

const tickMs = 1;

/** Begins at once; `stop()` ends it. */
export class SteadyLoad {
  /** Answers by status. */
  readonly statuses: Record<string, number> = {};
  /** What should not have come, by request and answer. */
  readonly unexpected: Record<string, number> = {};
  readonly #options: LoadOptions;
  readonly #aloneEvery: number;
  readonly #agent: Agent;
  readonly #startedAt = performance.now();
  readonly #underWay = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  #latency = createHistogram();
  #lateness = createHistogram();

  constructor(options: LoadOptions) {
    const { connections = 64, aloneEvery = 20 } = options;
    this.#options = options;
    this.#aloneEvery = aloneEvery;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#timer = setInterval(() => this.#sendDue(), tickMs);
  }

  get sent(): number {
    return this.#sent;
  }

  /** Since the first request. */
  elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /**
   * How long right answers took since this was last asked, in milliseconds, and by how much the load itself was late, which
   * is part of that: small, or the machine was too busy.
   */
  takeLatency() {
    const [latency, lateness] = [this.#latency, this.#lateness];
    this.#latency = createHistogram();
    this.#lateness = createHistogram();
    const ms = (percentile: number) => latency.percentile(percentile) / 1000;
    return {
      p50: ms(50),
      p99: ms(99),
      p999: ms(99.9),
      max: ms(100),
      lateP99: lateness.percentile(99) / 1000,
    };
  }

  /** Waits for the answers in progress and closes the connections. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
    this.#agent.destroy();
  }

  #sendDue(): void {
    const { rate, requests } = this.#options;
    for (let dueMs = this.#dueMs(rate); dueMs <= this.elapsedMs(); dueMs = this.#dueMs(rate)) {
      const agent = this.#sent % this.#aloneEvery === 0 ? new Agent() : this.#agent;
      const sending = this.#run(requests.next().value, agent, this.#startedAt + dueMs);
      this.#sent += 1;
      this.#underWay.add(sending);
      void sending.finally(() => this.#underWay.delete(sending));
    }
  }

  /** After the start, of the next request. */
  #dueMs(rate: number): number {
    return (this.#sent * 1000) / rate;
  }

  async #run(request: MixedRequest, agent: Agent, dueAt: number): Promise<void> {
    record(this.#lateness, dueAt);
    const answer = await send(this.#options.url + request.path, { ...request, agent }).catch(
      ({ code }: NodeJS.ErrnoException) => ({ status: code ?? 'no answer', text: '' }),
    );
    count(this.statuses, String(answer.status));
    const isRight = answer.status === request.status && !answer.text.includes('"isError":true');
    if (isRight) record(this.#latency, dueAt);
    else count(this.unexpected, `${request.name}: ${answer.status} ${answer.text}`);
  }
}

/** In microseconds, above 0 as histograms want it. */
const record = (histogram: ReturnType<typeof createHistogram>, since: number) =>
  histogram.record(Math.max(1, Math.round((performance.now() - since) * 1000)));

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
