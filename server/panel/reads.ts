/** The policy of shared reads: a fresh value from the cache, and a stale one while limits refuse the call. */
import { type CacheOptions, createCache } from '../../models/support/cache.ts';
import { type FailureKind, PanelFailure } from './failures.ts';
import type { PanelApiClient } from './panel-api.ts';
import { answerWithin } from './server-api.ts';

/** The panel caches live state for this long too. */
export const liveTtlMs = 20_000;
/** How old a cached value may be if a limit refuses the call for a newer one. */
export const staleMsMax = 300_000;

export interface ReadPolicy {
  freshMs: number;
  /** Whether the read may use the reserve for writes; a stale value is then never returned. */
  mayUseReserve?: boolean;
  /** How long the caller waits. The read then continues, and its result is cached. */
  waitMs?: number | undefined;
}

interface ReadsOptions<Subject, Value> extends CacheOptions<Subject, Value> {
  api: Pick<PanelApiClient, 'requireReads'>;
  /** Failures of unsent calls, after which a stale value is returned. */
  staleOn?: readonly FailureKind[];
}

export const tooManyCallsKinds: readonly FailureKind[] = ['reserved', 'customerThrottled'];

export function createCachedReads<Subject, Value>({
  api,
  staleOn = tooManyCallsKinds,
  ...options
}: ReadsOptions<Subject, Value>) {
  const allowsStale = (error: unknown) => error instanceof PanelFailure && staleOn.includes(error.kind);
  const cache = createCache(options);

  async function read(subject: Subject, requestId: string, policy: ReadPolicy): Promise<Value> {
    if (!policy.mayUseReserve) api.requireReads();
    const loading = cache.get(subject, { requestId, ageMsMax: policy.freshMs });
    return policy.waitMs === undefined ? loading : answerWithin(policy.waitMs, loading);
  }

  return {
    known: cache.peek,
    drop: cache.drop,
    /** @throws {PanelFailure} of a kind in `staleOn` only if no stale value may be returned */
    async get(subject: Subject, requestId: string, policy: ReadPolicy): Promise<Value> {
      const found = cache.peek(subject, policy.freshMs);
      if (found !== undefined) return found;
      return read(subject, requestId, policy).catch((failure: unknown) => {
        const kept = allowsStale(failure) && !policy.mayUseReserve && cache.peek(subject, staleMsMax);
        if (!kept) throw failure;
        return kept;
      });
    },
  };
}
