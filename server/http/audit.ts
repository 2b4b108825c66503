/** Writes the audit's line for every call of a known key or a session; a write's line is stored before its answer leaves. */
import type { CallRecord, Middleware, RequestState } from '../../bridge/http/request-state.ts';
import type { AuditEntryRecord } from '../../models/audit-entry.ts';
import { asApiError } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import type { AuditTrail } from '../observability/audit-trail.ts';

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
  const actor = actorOf(state);
  if (!actor) return [];
  const { userId, keyId, grant } = actor;
  const { address, requestId, protocol } = state;
  const entryOf = ({ operation, target, ownerId, status, code }: Outcome): AuditEntryRecord => {
    const via = protocol.name;
    const entry = { at, userId, keyId, operation, target, status, code, address, requestId, via };
    return ownerId === null && grant === null ? entry : { ...entry, ...grant, ...(ownerId && { ownerId }) };
  };
  if (state.calls.length > 0) return state.calls.map(entryOf);
  if (!failure) return [];
  const { status, apiCode: code } = asApiError(failure);
  return [entryOf({ operation: null, target: null, ownerId: null, status, code })];
}

type Outcome = Omit<CallRecord, 'isWrite'>;

interface Actor extends Pick<AuditEntryRecord, 'userId' | 'keyId'> {
  grant: Pick<AuditEntryRecord, 'grantId' | 'clientId'> | null;
}

function actorOf({ knownKey, knownGrant, auditedUserId: userId }: RequestState): Actor | null {
  if (knownKey) return { userId: knownKey.userId, keyId: knownKey.id, grant: null };
  if (knownGrant) {
    const { id: grantId, userId, clientId } = knownGrant;
    return { userId, keyId: '', grant: { grantId, clientId } };
  }
  return userId === undefined ? null : { userId, keyId: '', grant: null };
}
