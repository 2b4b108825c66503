/** Load by autocannon: each connection has calls of its own, so that no two ask for the same key at the same time. */
import { performance } from 'node:perf_hooks';
import autocannon, { type Options, type Request, type Result } from 'autocannon';

export interface Load {
  url: string;
  calls: Request[];
  connections: number;
  /** The right answers. */
  statuses: number[];
}

export interface LoadResult {
  answers: number;
  seconds: number;
}

/** autocannon looks only so often whether its time is up. */
const sampleInt = 50;

/** Sends calls for a time, or until there are enough answers; throws when one is not as it should be. */
export async function sendLoad(
  load: Load,
  until: { seconds: number } | { answers: number },
): Promise<LoadResult> {
  const { url, calls, connections, statuses } = load;
  let nextConnection = 0;
  let startedAt = 0;
  const options: Options & { sampleInt: number } = {
    ...{ url, connections, sampleInt },
    ...('seconds' in until ? { duration: until.seconds } : { amount: Math.max(until.answers, connections) }),
    setupClient(client) {
      client.setRequests(everyNth(calls, nextConnection, connections));
      nextConnection += 1;
      startedAt = performance.now(); // once all are set up
    },
  };
  const result = await autocannon(options);
  const seconds = (performance.now() - startedAt) / 1000;
  return { answers: countAnswers(result, statuses), seconds };
}

function countAnswers({ url, statusCodeStats = {}, errors }: Result, statuses: number[]): number {
  const seen = Object.entries(statusCodeStats).map(([code, { count = 0 }]) => ({
    code: Number(code),
    count,
  }));
  const isRight = errors === 0 && seen.length > 0 && seen.every(({ code }) => statuses.includes(code));
  if (isRight) return seen.reduce((total, { count }) => total + count, 0);
  const answers = seen.map(({ code, count }) => `${count} x ${code}`).join(', ');
  throw new Error(`${url} was to answer ${statuses}: ${answers}, ${errors} errors`);
}

/** Copies, because autocannon writes into the requests it is given. */
const everyNth = (calls: Request[], offset: number, step: number): Request[] =>
  calls.filter((_, index) => index % step === offset % calls.length).map((call) => ({ ...call }));
