/** Waits for an answer, but not for long. */

export class LateAnswer extends Error {}

/** Rejects when no answer has come in time; one that waits unread, because the process was busy, has come. */
export function within<Answer>(patienceMs: number, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new LateAnswer(`no answer within ${patienceMs} ms`));
    // Timers come before sockets in a turn of the event loop, immediates after them.
    const timer = setTimeout(() => setImmediate(giveUp), patienceMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
