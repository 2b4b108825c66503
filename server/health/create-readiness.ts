/** What the service stands on, and what of it it cannot do without. */
import type { SharedRedis } from '../redis.ts';
import type { PanelWatch } from './panel-watch.ts';
import { Readiness } from './readiness.ts';

interface Ground {
  pingDatabase(): Promise<void>;
  /** Null where no Redis is configured; then none is asked for. */
  shared: SharedRedis | null;
  panelWatch: PanelWatch;
}

export function createReadiness({ pingDatabase, shared, panelWatch }: Ground): Readiness {
  return new Readiness({
    mongodb: { isDecisive: true, ask: pingDatabase },
    // A balancer should prefer processes that count together; one without Redis still answers, on a limit of its own.
    ...(shared && { redis: { isDecisive: true, ask: () => shared.redis.ping() } }),
    panel: panelWatch,
  });
}
