/**
 * Open-loop load: requests leave on a schedule, however slow the answers are, and each is measured from the moment it was
 * due. A closed loop would wait with a slow server, and so leave out the very requests that suffer.
 */
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Request } from 'autocannon';

interface Schedule {
  url: string;
  /** Sent in turn. */
  calls: readonly Request[];
  perSecond: number;
  seconds: number;
}

export interface Latencies {
  sent: number;
  /** Answers by what is wrong with them: a status of 400 or more, or a failure of the connection. */
  errors: Map<string, number>;
  p50: number;
  p99: number;
  p999: number;
  longest: number;
  /** By how much the load itself was late, which is part of the latencies: small, or the machine was too busy. */
  lateP99: number;
}

interface Sending {
  agent: Agent;
  url: string;
  latenciesMs: number[];
  latenessMs: number[];
  errors: Map<string, number>;
}

const answerTimeoutMs = 60_000;

export async function sendOnSchedule({ url, calls, perSecond, seconds }: Schedule): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true });
  const sending: Sending = { agent, url, latenciesMs: [], latenessMs: [], errors: new Map() };
  const total = Math.round(perSecond * seconds);
  const startedAt = performance.now();
  const dueAt = (index: number) => startedAt + (index * 1000) / perSecond;
  const pending: Promise<void>[] = [];
  while (pending.length < total) {
    while (pending.length < total && dueAt(pending.length) <= performance.now()) {
      const call = calls[pending.length % calls.length];
      if (call) pending.push(send(call, dueAt(pending.length), sending));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(pending);
  agent.destroy();
  return summarize(sending);
}

async function send(call: Request, dueAt: number, sending: Sending): Promise<void> {
  sending.latenessMs.push(performance.now() - dueAt);
  const error = await answerOf(call, sending).then(
    (status) => (status >= 400 ? String(status) : null),
    (failure: NodeJS.ErrnoException) => failure.code ?? failure.message,
  );
  if (error === null) sending.latenciesMs.push(performance.now() - dueAt);
  else sending.errors.set(error, (sending.errors.get(error) ?? 0) + 1);
}

/** The status, once the whole body is there. */
const answerOf = ({ method, path, headers, body }: Request, { agent, url }: Sending): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = { agent, method, headers: { ...headers }, timeout: answerTimeoutMs };
    const sent = request(url + path, options, (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
      response.resume();
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.end(body);
  });

function summarize({ latenciesMs, latenessMs, errors }: Sending): Latencies {
  const at = percentilesOf(latenciesMs);
  return {
    sent: latenessMs.length,
    errors,
    ...{ p50: at(0.5), p99: at(0.99), p999: at(0.999), longest: at(1) },
    lateP99: percentilesOf(latenessMs)(0.99),
  };
}

function percentilesOf(values: readonly number[]): (part: number) => number {
  const sorted = values.toSorted((one, other) => one - other);
  return (part) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}
