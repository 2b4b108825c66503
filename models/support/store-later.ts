/** Retries writes that MongoDB did not accept and no caller waits for: in the background, a bounded number at once. */
import { bufferedWritesMax } from '../bounds.ts';
import { minuteMs } from './durations.ts';
import { retry } from './retry.ts';

/** About as long as a lease lasts. */
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
