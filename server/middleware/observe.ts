/** Tells of each request once its answer stands: a line in the log at level info, and the metrics where they are on. */
import type { Middleware, RequestContext } from '../../bridge/request-state.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';

interface Watchers {
  log: Log;
  metrics: Metrics | null;
}

type Observer = (ctx: RequestContext, durationMs: number) => void;

/** Stands around `failures`, so that the status it sees is the one that is sent; null where nobody is told. */
export function createObserve({ log, metrics }: Watchers): Middleware | null {
  const observers: Observer[] = [];
  if (log.isLevelEnabled('info')) observers.push(lineIn(log));
  if (metrics) observers.push((ctx, durationMs) => metrics.countRequest(ctx, durationMs));
  if (observers.length === 0) return null;
  return async function observe(ctx, next) {
    const startedAt = performance.now();
    await next();
    const durationMs = performance.now() - startedAt;
    for (const tell of observers) tell(ctx, durationMs);
  };
}

const pathMaxLength = 200;

/**
 * The query is left out: it is the caller's, as bodies are. The fields are these and hold no secret, so they are not
 * searched for any, which would cost more than all the rest of the line.
 */
function lineIn(log: Log): Observer {
  const lines = log.child({}, { redact: [] });
  return ({ state, method, path, status }, durationMs) =>
    lines.info(
      {
        requestId: state.requestId,
        method,
        path: path.slice(0, pathMaxLength),
        status,
        durationMs: Math.round(durationMs * 10) / 10,
        operation: state.calls.map(({ operation }) => operation ?? 'none').join() || null,
        tongue: state.via,
        keyId: state.knownKey?.id ?? null,
      },
      'Answered',
    );
}
