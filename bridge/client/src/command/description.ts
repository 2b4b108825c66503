/** The description of a host's API, kept so that a command need not read it each time. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { GamehostError } from '../errors.ts';
import type { Description } from '../operations.ts';
import { fetchBounded } from './fetch-bounded.ts';
import { cacheFolder, readKept, writeKept } from './kept-files.ts';

interface Kept {
  readAt: number;
  etag: string | null;
  description: Description;
}

const keptMs = 3_600_000;

/**
 * If the host is away, resolves to the description that was read last.
 * @throws {GamehostError} when the host is away and none was read
 */
export async function readDescription(apiUrl: string, isFresh = false): Promise<Description> {
  const name = createHash('sha256').update(apiUrl).digest('hex');
  const path = join(cacheFolder(), `${name}.json`);
  const kept = await readKept<Kept>(path).catch(() => null);
  const usable = isDescription(kept?.description) ? kept : null;
  const isYoung = usable !== null && Math.abs(Date.now() - usable.readAt) < keptMs;
  if (isYoung && !isFresh) return usable.description;
  try {
    const read = await fetchDescription(`${apiUrl}/openapi.json`, usable);
    await writeKept(path, read).catch(() => {}); // the folder may be read-only
    return read.description;
  } catch (failure) {
    if (usable) return usable.description;
    throw failure;
  }
}

async function fetchDescription(url: string, kept: Kept | null): Promise<Kept> {
  const response = await fetchBounded(url, kept?.etag ? { headers: { 'If-None-Match': kept.etag } } : {});
  if (response.status === 304 && kept) return { ...kept, readAt: Date.now() };
  const description: unknown = await response.json().catch(() => null);
  if (response.ok && isDescription(description))
    return { readAt: Date.now(), etag: response.headers.get('ETag'), description };
  const message = `${url} has no description of this API`;
  throw new GamehostError({ status: response.status, code: 'unexpected_response', message });
}

const isDescription = (value: unknown): value is Description => {
  const { paths, components } = (value ?? {}) as Partial<Description>;
  return typeof paths === 'object' && paths !== null && typeof components === 'object' && components !== null;
};
