/** Where the embedded database keeps its files below DATA_DIR. */
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** The absolute path, links resolved, so that two names of one directory are seen to be one; made if missing. */
export async function dbPathOf(dataDir: string): Promise<string> {
  const dbPath = join(dataDir, 'mongodb');
  await mkdir(dbPath, { recursive: true });
  return realpath(dbPath);
}
