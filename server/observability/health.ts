/** Whether a load balancer should send requests here: checks the dependencies, and says no while the service stops. */
import { setMaxListeners } from 'node:events';
import { withTimeout } from '../limit/with-timeout.ts';
import { isWorking, type OnOutcome, type PanelApi } from '../panel/failures.ts';
import type { SharedRedis } from '../redis.ts';

/** One dependency of the service. */
export interface HealthCheck {
  /** Whether the service is not ready without it; the others are only reported. */
  required: boolean;
  /** Rejects, or takes too long, while the dependency is unavailable. */
  check(): Promise<unknown>;
}

interface ReadinessReport {
  isReady: boolean;
  status: 'ready' | 'not_ready' | 'stopping';
  /** By name of the dependency. */
  parts: Record<string, 'ok' | 'unavailable'>;
}

export class Readiness {
  readonly #checks: Record<string, HealthCheck>;
  readonly #checkTimeoutMs: number;
  #pending: Promise<ReadinessReport> | null = null;
  readonly #stopping = new AbortController();

  constructor(checks: Record<string, HealthCheck>, checkTimeoutMs = 1000) {
    setMaxListeners(0, this.#stopping.signal); // each call that waits listens
    this.#checks = checks;
    this.#checkTimeoutMs = checkTimeoutMs;
  }

  /** Reports `stopping` from now on. */
  stop(): void {
    this.#stopping.abort();
  }

  get isStopping(): boolean {
    return this.stopping.aborted;
  }

  /** Aborted when the service stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Concurrent callers share one check: probes need no key and must stay cheap. */
  check(): Promise<ReadinessReport> {
    this.#pending ??= this.#checkAll().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  async #checkAll(): Promise<ReadinessReport> {
    const results = await Promise.all(
      Object.entries(this.#checks).map(async ([name, { required, check }]) => ({
        name,
        required,
        isOk: await withTimeout(this.#checkTimeoutMs, check()).then(
          () => true,
          () => false,
        ),
      })),
    );
    const hasRequired = results.every(({ required, isOk }) => isOk || !required);
    return {
      isReady: hasRequired && !this.isStopping,
      status: this.isStopping ? 'stopping' : hasRequired ? 'ready' : 'not_ready',
      parts: Object.fromEntries(results.map(({ name, isOk }) => [name, isOk ? 'ok' : 'unavailable'])),
    };
  }
}

interface Dependencies {
  pingDatabase(): Promise<void>;
  /** Null where REDIS_URL is unset; then Redis is not reported. */
  shared: SharedRedis | null;
  panel: HealthCheck;
}

export const createReadiness = ({ pingDatabase, shared, panel }: Dependencies) =>
  new Readiness({
    mongodb: { required: true, check: pingDatabase },
    // Without Redis each process limits on its own and no call fails: a balancer must not drop the whole fleet.
    ...(shared && { redis: { required: false, check: () => shared.redis.ping() } }),
    panel,
  });

/** Whether the panel works, by the outcome of the last call of each of its APIs: a probe of ours never calls the panel. */
export class PanelHealth implements HealthCheck {
  /** Most requests work without the panel. */
  readonly required = false;
  readonly #onOutcome: OnOutcome | undefined;
  readonly #failing = new Set<PanelApi>();

  /** @param onOutcome gets each outcome as well */
  constructor(onOutcome?: OnOutcome) {
    this.#onOutcome = onOutcome;
  }

  readonly recordOutcome: OnOutcome = (api, outcome, isOfPanel) => {
    if (isWorking(outcome)) this.#failing.delete(api);
    else if (isOfPanel) this.#failing.add(api);
    this.#onOutcome?.(api, outcome, isOfPanel);
  };

  readonly isWorking = (): boolean => this.#failing.size === 0;

  readonly check = async (): Promise<void> => {
    if (!this.isWorking()) throw new Error('the last call to the panel failed');
  };
}
