/** Limits how long to wait for a promise. */

export class TimeoutError extends Error {}

/** A timer that fires later than this was delayed: this process did not run. */
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
        // Timers run before sockets in a turn of the event loop, immediates after them: a reply may be waiting.
        else setImmediate(giveUp);
      }, ms);
    };
    const giveUp = () => reject(new TimeoutError(`no reply within ${timeoutMs} ms`));
    waitFor(timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
