/** Reports whether a load balancer should send requests, by checking the dependencies. A service that is stopping is not ready. */
import { setMaxListeners } from 'node:events';
import { withTimeout } from '../limit/with-timeout.ts';
import { type OnOutcome, type PanelApi, showsPanelWorking } from '../panel/failures.ts';
import type { SharedRedis } from '../redis.ts';

interface Dependencies {
  pingDatabase(): Promise<unknown>;
  shared: Pick<SharedRedis, 'redis'> | null;
  panel: PanelHealth;
}

const checkTimeoutMs = 1000;

const isUp = (ping: Promise<unknown>) =>
  withTimeout(checkTimeoutMs, ping).then(
    () => true,
    () => false,
  );

export type Readiness = ReturnType<typeof createReadiness>;

export function createReadiness({ pingDatabase, shared, panel }: Dependencies) {
  const stopping = new AbortController();
  const signal: AbortSignal = stopping.signal;
  setMaxListeners(0, signal); // Node warns beyond ten listeners, and every waiting call adds one
  async function checkAll() {
    const [mongodb, redis] = await Promise.all([isUp(pingDatabase()), shared && isUp(shared.redis.ping())]);
    const parts = { mongodb, ...(shared && { redis }), panel: panel.isWorking() };
    return {
      // Most requests work without the panel, and without Redis each process limits on its own. If either is down, a balancer
      // must not drop all processes.
      isReady: mongodb && !signal.aborted,
      status: signal.aborted ? 'stopping' : mongodb ? 'ready' : 'not_ready',
      parts: Object.fromEntries(
        Object.entries(parts).map(([name, isOk]) => [name, isOk ? 'ok' : 'unavailable']),
      ),
    };
  }
  let pending: ReturnType<typeof checkAll> | null = null;
  return {
    /** Concurrent callers share one check, because probes need no key and must stay cheap. */
    check() {
      pending ??= checkAll().finally(() => {
        pending = null;
      });
      return pending;
    },
    stop: () => stopping.abort(),
    stopping: signal,
  };
}

/** Judges the panel by the last call to each of its APIs, because probes never call the panel. */
export class PanelHealth {
  readonly #onOutcome: OnOutcome | undefined;
  readonly #failing = new Set<PanelApi>();

  constructor(onOutcome?: OnOutcome) {
    this.#onOutcome = onOutcome;
  }

  readonly recordOutcome: OnOutcome = (api, outcome, isOfPanel) => {
    if (showsPanelWorking(outcome)) this.#failing.delete(api);
    else if (isOfPanel) this.#failing.add(api);
    this.#onOutcome?.(api, outcome, isOfPanel);
  };

  readonly isWorking = (): boolean => this.#failing.size === 0;
}
