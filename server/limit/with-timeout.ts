/** Limits how long to wait for a promise. */

export class TimeoutError extends Error {}

const tickMs = 10;

/**
 * Rejects with a TimeoutError when the promise takes too long. Only time in which this process ran counts: on a machine
 * too busy to run it, a late reply is not the peer's fault.
 */
export function withTimeout<Result>(timeoutMs: number, promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    let elapsedMs = 0;
    const tick = () => {
      elapsedMs += tickMs;
      // Timers run before sockets in a turn of the event loop, immediates after them: the reply may wait unread.
      if (elapsedMs >= timeoutMs) setImmediate(giveUp);
      else timer = setTimeout(tick, tickMs);
    };
    const giveUp = () => reject(new TimeoutError(`no reply within ${timeoutMs} ms`));
    let timer = setTimeout(tick, tickMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
