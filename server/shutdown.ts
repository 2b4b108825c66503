/** Stops the parts that a start has opened, in reverse order. */
import type { Log } from './observability/log.ts';

type Step = () => unknown;

export class Shutdown {
  readonly #steps: Step[] = [];
  readonly #log: Pick<Log, 'error'>;

  constructor(log: Pick<Log, 'error'>) {
    this.#log = log;
  }

  add(step: Step): void {
    this.#steps.push(step);
  }

  /**
   * A failed step is logged, and the others still run.
   * @throws the first failure, after the last step
   */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.splice(0).reverse())
      try {
        await step();
      } catch (err) {
        this.#log.error({ err }, 'A step of the stop failed; the other steps still run');
        failures.push(err);
      }
    if (failures.length > 0) throw failures[0];
  }
}
