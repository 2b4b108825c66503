/** The description of a host's API, kept so that a command need not read it each time. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { GamehostError } from '../errors.ts';
import type { Description } from '../operations.ts';
import type { Connection } from '../send.ts';
import { cacheFolder, readKept, writeKept } from './kept-files.ts';
import { readPath } from './read-path.ts';

interface Kept {
  readAt: number;
  description: Description;
}

const keptMs = 3_600_000;

/**
 * If the host is away, resolves to the description that was read last.
 * @param options `isFresh` reads it from the host even within the hour
 * @throws {GamehostError} when the host is away and none was read
 */
export async function readDescription(
  connection: Connection,
  { isFresh = false } = {},
): Promise<Description> {
  const name = createHash('sha256').update(connection.apiUrl).digest('hex');
  const path = join(cacheFolder(), `${name}.json`);
  const kept = await readKept<Kept>(path).catch(() => null);
  // The clock may have been set back since.
  const isYoung = kept && Math.abs(Date.now() - kept.readAt) < keptMs;
  if (isYoung && !isFresh) return kept.description;
  try {
    const description = await fetchDescription(connection);
    await writeKept(path, { readAt: Date.now(), description }).catch(() => {}); // the folder may be read-only
    return description;
  } catch (failure) {
    if (kept) return kept.description;
    throw failure;
  }
}

/** Without a credential, as it is public; and at once, as an old one may serve. */
async function fetchDescription(connection: Connection): Promise<Description> {
  const settings = { credential: () => null, retries: 0, timeoutMs: 10_000 };
  const description = (await readPath({ ...connection, ...settings }, '/openapi.json')) as Description | null;
  if (description?.paths && description.components) return description;
  const message = `${connection.apiUrl}/openapi.json does not describe this API`;
  throw new GamehostError({ code: 'unexpected_response', message });
}
