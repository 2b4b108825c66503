/** Load by autocannon: each connection has calls of its own, so that no two ask for the same key at the same time. */
import autocannon, { type Options, type Request, type Result } from 'autocannon';

export interface Load {
  url: string;
  calls: Request[];
  connections: number;
  /** The right answers. */
  statuses: number[];
  onAnswer?: () => void;
}

/** autocannon looks only so often whether its time is up. */
const sampleInt = 50;

/** Sends calls for a time, or until there are enough answers; throws when one is not as it should be. */
export async function sendLoad(
  { url, calls, connections, statuses, onAnswer = () => undefined }: Load,
  until: { seconds: number } | { answers: number },
): Promise<void> {
  let nextConnection = 0;
  const options: Options & { sampleInt: number } = {
    ...{ url, connections, sampleInt },
    ...('seconds' in until ? { duration: until.seconds } : { amount: Math.max(until.answers, connections) }),
    setupClient(client) {
      client.setRequests(everyNth(calls, nextConnection, connections));
      client.on('response', onAnswer);
      nextConnection += 1;
    },
  };
  proveRight(await autocannon(options), statuses);
}

function proveRight({ url, statusCodeStats = {}, errors }: Result, statuses: number[]): void {
  const seen = Object.entries(statusCodeStats).map(([code, { count = 0 }]) => ({
    code: Number(code),
    count,
  }));
  const isRight = errors === 0 && seen.length > 0 && seen.every(({ code }) => statuses.includes(code));
  if (isRight) return;
  const answers = seen.map(({ code, count }) => `${count} x ${code}`).join(', ');
  throw new Error(`${url} was to answer ${statuses}: ${answers}, ${errors} errors`);
}

/** Copies, because autocannon writes into the requests it is given. */
const everyNth = (calls: Request[], offset: number, step: number): Request[] =>
  calls.filter((_, index) => index % step === offset % calls.length).map((call) => ({ ...call }));
