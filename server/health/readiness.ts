/** Whether requests should be sent here: asked of the parts the service stands on, and denied once it is stopping. */
import { within } from '../limit/within.ts';

/** Something the service stands on. */
export interface Footing {
  /** Without it the service is not ready; the others are only reported. */
  isDecisive: boolean;
  /** Rejected, or late, when it does not serve. */
  ask(): Promise<unknown>;
}

export interface Verdict {
  isReady: boolean;
  status: 'ready' | 'not_ready' | 'stopping';
  /** By name. */
  parts: Record<string, 'ok' | 'away'>;
}

const patienceMs = 1000;

export class Readiness {
  readonly #footings: Record<string, Footing>;
  #asking: Promise<Verdict> | null = null;
  #isStopping = false;

  constructor(footings: Record<string, Footing>) {
    this.#footings = footings;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** From now on nothing new should come here. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Answers within a good second. Who asks meanwhile gets the same answer: probes need no key and must cost little. */
  ask(): Promise<Verdict> {
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askAll(): Promise<Verdict> {
    const answers = await Promise.all(
      Object.entries(this.#footings).map(async ([name, footing]) => ({
        name,
        isDecisive: footing.isDecisive,
        isWell: await within(patienceMs, footing.ask()).then(
          () => true,
          () => false,
        ),
      })),
    );
    const isStanding = answers.every(({ isDecisive, isWell }) => isWell || !isDecisive);
    return {
      isReady: isStanding && !this.#isStopping,
      status: this.#isStopping ? 'stopping' : isStanding ? 'ready' : 'not_ready',
      parts: Object.fromEntries(answers.map(({ name, isWell }) => [name, isWell ? 'ok' : 'away'])),
    };
  }
}
