/** Whether the panel works, judged by its last call: a probe never calls the panel. */
import { isWorking, type OnOutcome } from '../../panel/failures.ts';
import type { HealthCheck } from './readiness.ts';

export class PanelHealth implements HealthCheck {
  /** Most requests work without the panel. */
  readonly required = false;
  readonly #onOutcome: OnOutcome | undefined;
  #isWorking = true;

  /** @param onOutcome is told each outcome as well */
  constructor(onOutcome?: OnOutcome) {
    this.#onOutcome = onOutcome;
  }

  readonly recordOutcome: OnOutcome = (api, outcome) => {
    this.#isWorking = isWorking(outcome);
    this.#onOutcome?.(api, outcome);
  };

  readonly check = async (): Promise<void> => {
    if (!this.#isWorking) throw new Error('the last call to the panel failed');
  };
}
