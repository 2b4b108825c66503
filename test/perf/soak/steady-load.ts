/** Requests at a steady rate, whether or not those before are answered, and what came of them. */
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { createHistogram, performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import type { MixedRequest } from './request-mix.ts';

interface LoadOptions {
  url: string;
  requests: Iterator<MixedRequest>;
  /** Requests a second. */
  rate: number;
}

const tickMs = 10;
const connections = 64;
/** One request in so many has a connection of its own, which ends with it. */
const aloneEvery = 20;

/** Begins at once; `stop()` ends it. */
export class SteadyLoad {
  /** Answers by status. */
  readonly statuses: Record<string, number> = {};
  /** What should not have come, by request and answer. */
  readonly unexpected: Record<string, number> = {};
  readonly #options: LoadOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: connections });
  readonly #startedAt = performance.now();
  readonly #underWay = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  #latency = createHistogram();

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#sendDue(), tickMs);
  }

  get sent(): number {
    return this.#sent;
  }

  /** Since the first request. */
  elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** How long answers took since this was last asked, in milliseconds. */
  takeLatency(): { p50: number; p99: number; max: number } {
    const latency = this.#latency;
    this.#latency = createHistogram();
    const ms = (percentile: number) => latency.percentile(percentile) / 1000;
    return { p50: ms(50), p99: ms(99), max: ms(100) };
  }

  /** Waits for the answers in progress and closes the connections. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
    this.#agent.destroy();
  }

  #sendDue(): void {
    const due = (this.elapsedMs() / 1000) * this.#options.rate;
    for (; this.#sent < due; this.#sent += 1) {
      const sending = this.#run(this.#options.requests.next().value, this.#sent % aloneEvery !== 0);
      this.#underWay.add(sending);
      void sending.finally(() => this.#underWay.delete(sending));
    }
  }

  async #run(request: MixedRequest, isKept: boolean): Promise<void> {
    const startedAt = performance.now();
    const answer = await this.#call(request, isKept).catch(({ code }: NodeJS.ErrnoException) => ({
      ...{ status: code ?? 'no answer', body: '' },
    }));
    this.#latency.record(Math.max(1, Math.round((performance.now() - startedAt) * 1000)));
    count(this.statuses, String(answer.status));
    const isRight = answer.status === request.status && !answer.body.includes('"isError":true');
    if (!isRight) count(this.unexpected, `${request.name}: ${answer.status} ${answer.body}`);
  }

  async #call({ request: { method, path = '/', headers, body } }: MixedRequest, isKept: boolean) {
    const agent = isKept ? this.#agent : new Agent();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { agent, method, headers };
      send(this.#options.url + path, options, resolve)
        .on('error', reject)
        .end(body);
    });
    return { status: answer.statusCode ?? 0, body: await text(answer) };
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
