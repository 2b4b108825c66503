/** Waits for an answer, but not for long. */

export class LateAnswer extends Error {}

const tickMs = 10;

/**
 * Rejects when no answer has come in time. Time is what this process has had to itself: on a machine so busy that it
 * stands still for a while, whoever should answer stands still as well, and is not to blame.
 */
export function within<Answer>(patienceMs: number, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let waitedMs = 0;
    const tick = () => {
      waitedMs += tickMs;
      // In a turn of the event loop timers come before sockets, immediates after them: an answer may wait unread.
      if (waitedMs >= patienceMs) setImmediate(giveUp);
      else timer = setTimeout(tick, tickMs);
    };
    const giveUp = () => reject(new LateAnswer(`no answer within ${patienceMs} ms`));
    let timer = setTimeout(tick, tickMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
