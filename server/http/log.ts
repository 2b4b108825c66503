/** Logs each request in one line at level info, and counts it in the metrics if they are on. */
import { type Middleware, percentDecode, type RequestContext } from '../../bridge/protocol.ts';
import { loggedLengthMax } from '../../models/bounds.ts';
import { type Caller, credentialOf } from '../../routers/caller.ts';
import { cut } from '../../routers/schemas/text.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';

export interface Reporting {
  log: Log;
  metrics: Metrics | null;
}

export function createLogging({ log, metrics }: Reporting): Middleware | null {
  // These fields hold no secret, and redaction would cost more than the rest of the line.
  const lines = log.isLevelEnabled('info') ? log.child({}, { redact: [] }) : null;
  if (!lines && !metrics) return null;
  return async function observe(ctx, next) {
    const startedAt = performance.now();
    await next();
    const durationMs = performance.now() - startedAt;
    lines?.info(fieldsOf(ctx, durationMs), 'Answered');
    metrics?.countRequest(ctx, durationMs);
  };
}

/** Leaves out the query and the body, because they may contain secrets. */
const fieldsOf = ({ state: { request, record }, method, status }: RequestContext, durationMs: number) => ({
  requestId: request.id,
  method,
  path: cut(percentDecode(request.path), loggedLengthMax), // percent-escapes could hide a secret from the mask
  status,
  durationMs: Math.round(durationMs * 10) / 10,
  operation: record.calls.map(({ operation }) => operation ?? 'none').join() || null,
  protocol: record.protocol,
  ...idsOf(record.caller),
  address: request.address,
});

/** Also returns the id of a key or grant that was refused. */
function idsOf(caller: Caller): { keyId: string | null; grantId?: string } {
  const credential = credentialOf(caller);
  if (credential?.kind === 'app') return { keyId: null, grantId: credential.grant._id };
  return { keyId: credential?.key._id ?? null };
}
