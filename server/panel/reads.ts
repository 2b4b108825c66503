/** The one policy of reads that several callers share: what is known, as long as it is fresh, and older while the panel is spared. */
import { type CacheOptions, createCache } from '../../models/support/cache.ts';
import type { PanelApiClient } from './panel-api.ts';
import { answerWithin } from './server-api.ts';

export interface ReadPolicy {
  /** How old a known value may be. */
  freshMs: number;
  /** The same while only the reserve for writes is left of the panel's rate limit; null: the reserve may be used. */
  staleMs: number | null;
  /** How long a caller waits; the read goes on, and its outcome is known afterwards. */
  waitMs?: number | undefined;
}

interface ReadsOptions<Subject, Value> extends CacheOptions<Subject, Value> {
  api: Pick<PanelApiClient, 'allowsReads' | 'requireReads'>;
}

export function createReads<Subject, Value>({ api, ...options }: ReadsOptions<Subject, Value>) {
  const cache = createCache(options);
  const known = (subject: Subject, { freshMs, staleMs }: ReadPolicy): Value | undefined =>
    cache.peek(subject, staleMs === null || api.allowsReads() ? freshMs : staleMs);

  return {
    known,
    drop: cache.drop,
    /** @throws {PanelFailure} `throttled` while the panel is to be spared and nothing is known */
    async get(subject: Subject, requestId: string, policy: ReadPolicy): Promise<Value> {
      const found = known(subject, policy);
      if (found !== undefined) return found;
      if (policy.staleMs !== null) api.requireReads();
      const loading = cache.get(subject, { requestId, ageMsMax: policy.freshMs });
      return policy.waitMs === undefined ? loading : answerWithin(policy.waitMs, loading);
    },
  };
}
