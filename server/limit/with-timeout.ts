/** Limits how long to wait for a promise. */

export class TimeoutError extends Error {}

/** A timer that is later than this shows that the process could not run. */
const lateMs = 10;

/**
 * Rejects with a TimeoutError when the promise takes too long. A late timer is set again for as long as it was late:
 * on a machine too busy to run this process, a late reply is not the peer's fault.
 */
export function withTimeout<Result>(timeoutMs: number, promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const waitFor = (ms: number) => {
      const dueAt = performance.now() + ms;
      timer = setTimeout(() => {
        const missedMs = performance.now() - dueAt;
        if (missedMs > lateMs) waitFor(missedMs);
        // A reply may be waiting: the event loop runs timers before sockets, and immediates after them.
        else setImmediate(giveUp);
      }, ms);
    };
    const giveUp = () => reject(new TimeoutError(`no reply within ${timeoutMs} ms`));
    waitFor(timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
