/** The one policy of reads that several callers share: what is known, as long as it is fresh, and older while the panel is spared. */
import { type CacheOptions, createCache } from '../../models/support/cache.ts';
import { type FailureKind, PanelFailure } from './failures.ts';
import type { PanelApiClient } from './panel-api.ts';
import { answerWithin } from './server-api.ts';

export interface ReadPolicy {
  /** How old a known value may be. */
  freshMs: number;
  /** The same while the panel is spared; null: the reserve for writes may be used, and nothing older serves. */
  staleMs: number | null;
  /** How long a caller waits; the read goes on, and its outcome is known afterwards. */
  waitMs?: number | undefined;
}

interface ReadsOptions<Subject, Value> extends CacheOptions<Subject, Value> {
  api: Pick<PanelApiClient, 'requireReads'>;
}

export function createReads<Subject, Value>({ api, ...options }: ReadsOptions<Subject, Value>) {
  const cache = createCache(options);

  async function read(subject: Subject, requestId: string, policy: ReadPolicy): Promise<Value> {
    if (policy.staleMs !== null) api.requireReads();
    const loading = cache.get(subject, { requestId, ageMsMax: policy.freshMs });
    return policy.waitMs === undefined ? loading : answerWithin(policy.waitMs, loading);
  }

  return {
    known: (subject: Subject, { freshMs }: ReadPolicy): Value | undefined => cache.peek(subject, freshMs),
    drop: cache.drop,
    /** @throws {PanelFailure} `reserved` or `customerThrottled` while the panel is spared and nothing is known */
    async get(subject: Subject, requestId: string, policy: ReadPolicy): Promise<Value> {
      const found = cache.peek(subject, policy.freshMs);
      if (found !== undefined) return found;
      return read(subject, requestId, policy).catch((failure: unknown) => {
        const kept = isSparing(failure) && cache.peek(subject, policy.staleMs ?? 0);
        if (!kept) throw failure;
        return kept;
      });
    },
  };
}

const sparing: readonly FailureKind[] = ['reserved', 'customerThrottled'];

/** Of a call that was not made, as there were too many. */
const isSparing = (error: unknown) => error instanceof PanelFailure && sparing.includes(error.kind);
