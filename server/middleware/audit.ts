/** Writes the audit's line for every call of a known key or a session; a write's line is stored before its answer leaves. */
import type { Middleware, RequestState } from '../../bridge/request-state.ts';
import type { AuditEntryRecord } from '../../models/audit-entry.ts';
import { asApiError } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import type { AuditTrail } from '../audit-trail.ts';

export function createAudit({ trail, clock }: { trail: AuditTrail; clock: Clock }): Middleware {
  return async function audit(ctx, next) {
    let failure: unknown = null;
    try {
      await next();
    } catch (thrown) {
      failure = thrown;
    }
    const entries = entriesOf(ctx.state, new Date(clock()), failure);
    const hasWrite = ctx.state.calls.some(({ isWrite }) => isWrite);
    if (hasWrite) await trail.storeNow(entries);
    else trail.add(entries);
    if (failure) throw failure;
  };
}

/** One entry per procedure called; one without an operation when the request was refused before. */
function entriesOf(state: RequestState, at: Date, failure: unknown): AuditEntryRecord[] {
  const { address, requestId, via } = state;
  const actor = actorOf(state);
  if (!actor) return [];
  const common = { at, ...actor, address, requestId, via };
  if (state.calls.length > 0) return state.calls.map(({ isWrite: _, ...call }) => ({ ...common, ...call }));
  if (!failure) return [];
  const { status, apiCode } = asApiError(failure);
  return [{ ...common, operation: null, target: null, status, code: apiCode }];
}

function actorOf({ knownKey, session }: RequestState): { userId: number; keyId: string } | null {
  if (knownKey) return { userId: knownKey.userId, keyId: knownKey.id };
  return session && { userId: session.user._id, keyId: '' };
}
