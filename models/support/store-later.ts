/** Retries, in the background, writes that MongoDB did not accept and no caller waits for. Their number is bounded. */
import { bufferedWritesMax } from '../bounds.ts';
import { minuteMs } from './durations.ts';
import { retry } from './retry.ts';

/** Retrying ends after about as long as a lease lasts. */
const retries = { pauseMs: 1000, withinMs: minuteMs, when: () => true, isBackground: true };

export function createStoreLater() {
  let waitingCount = 0;
  return function storeLater(store: () => Promise<unknown>): void {
    if (waitingCount >= bufferedWritesMax) return;
    waitingCount += 1;
    retry(store, retries)
      .catch(() => {})
      .finally(() => {
        waitingCount -= 1;
      });
  };
}
