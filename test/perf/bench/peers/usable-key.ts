/** Whether a key is valid, and when its last use is written again: once a minute, as our own service does. */
import type { ApiKeyRecord } from '../../../../models/api-key/store.ts';

const staleMs = 60_000;

export const isUsable = ({ revokedAt, expiresAt }: ApiKeyRecord, now: Date): boolean =>
  !revokedAt && (!expiresAt || expiresAt > now);

export const isStale = ({ lastUsedAt }: ApiKeyRecord, now: Date): boolean =>
  !lastUsedAt || now.getTime() - lastUsedAt.getTime() >= staleMs;
