/** Whether the panel serves, told by how its last call ended: a probe never calls it. */
import { isServing, type OnOutcome } from '../panel/outcome.ts';
import type { Footing } from './readiness.ts';

export class PanelWatch implements Footing {
  /** The service answers most requests without it. */
  readonly isDecisive = false;
  readonly #passOn: OnOutcome | undefined;
  #isServing = true;

  /** @param passOn who else hears of each outcome */
  constructor(passOn?: OnOutcome) {
    this.#passOn = passOn;
  }

  readonly hear: OnOutcome = (api, outcome) => {
    this.#isServing = isServing(outcome);
    this.#passOn?.(api, outcome);
  };

  async ask(): Promise<void> {
    if (!this.#isServing) throw new Error('the last call of the panel failed');
  }
}
