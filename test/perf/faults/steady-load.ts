/**
 * Open-loop load: requests leave at a steady rate, however slow the answers are, and each is measured from the moment it was
 * due. A closed loop would wait with a slow service and leave out the requests that suffer most.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createHistogram, performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import type { MixedRequest } from './request-mix.ts';

interface LoadOptions {
  url: string;
  requests: Iterator<MixedRequest>;
  rate: number;
}

const tickMs = 1;
/** One request in this many has its own connection, which ends with it. */
const aloneEvery = 20;
/** Longer than any attack or failure here: after it no answer will come. */
const giveUpMs = 180_000;

/** Begins at once; `stop()` ends it. */
export class SteadyLoad {
  sent = 0;
  /** Unexpected answers, by request and answer. */
  readonly unexpected: Record<string, number> = {};
  readonly #options: LoadOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #startedAt = performance.now();
  readonly #underWay = new Set<Promise<void>>();
  readonly #timer = setInterval(() => this.#sendDue(), tickMs);
  #latency = createHistogram();

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Latency of correct answers since the last call, in milliseconds. */
  takeLatency() {
    const latency = this.#latency;
    this.#latency = createHistogram();
    const ms = (percentile: number) => Math.round(latency.percentile(percentile) / 1000);
    return { p50: ms(50), p99: ms(99), max: ms(100) };
  }

  /** Waits for the answers in progress and closes the connections. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
    this.#agent.destroy();
  }

  #sendDue(): void {
    const { rate, requests } = this.#options;
    const nextDueAt = () => this.#startedAt + (this.sent * 1000) / rate;
    for (let dueAt = nextDueAt(); dueAt <= performance.now(); dueAt = nextDueAt()) {
      const agent = this.sent % aloneEvery === 0 ? new Agent() : this.#agent;
      const sending = this.#run(requests.next().value, agent, dueAt);
      this.sent += 1;
      this.#underWay.add(sending);
      void sending.finally(() => this.#underWay.delete(sending));
    }
  }

  async #run(due: MixedRequest, agent: Agent, dueAt: number): Promise<void> {
    const answer = await send(this.#options.url, due, agent).catch(({ code }: NodeJS.ErrnoException) => ({
      status: code ?? 'no answer',
      text: '',
    }));
    const isRight = answer.status === due.status && !answer.text.includes('"isError":true');
    // In microseconds; a histogram needs values above 0.
    if (isRight) this.#latency.record(Math.max(1, Math.round((performance.now() - dueAt) * 1000)));
    else {
      const what = `${due.name}: ${answer.status} ${answer.text}`;
      this.unexpected[what] = (this.unexpected[what] ?? 0) + 1;
    }
  }
}

async function send(url: string, { path, method, headers, body }: MixedRequest, agent: Agent) {
  const sent = request(url + path, { agent, method, headers, timeout: giveUpMs });
  sent.on('timeout', () => sent.destroy(new Error('no answer'))).end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  return { status: response?.statusCode, text: response ? await text(response) : '' };
}
