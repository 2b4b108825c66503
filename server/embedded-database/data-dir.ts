/**
 * The layout of DATA_DIR, readable by its owner only: MongoDB's files in mongodb/, its password in mongodb.key, the key of
 * webhooks' secrets in secrets.key, and embedded.json for the next start.
 */
import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** Creates the directory if needed. Absolute, with links resolved, so that two names of one directory compare equal. */
export async function dbPathOf(dataDir: string): Promise<string> {
  const dbPath = join(dataDir, 'mongodb');
  await mkdir(dbPath, { recursive: true, mode: 0o700 });
  // Earlier releases created it for everyone; mongod itself creates its files with 0600.
  await chmod(dbPath, 0o700);
  return realpath(dbPath);
}

export const keyFileOf = (dataDir: string) => join(dataDir, 'mongodb.key');

/** Null before the first start with a password, and when the file is damaged. */
export const readPassword = (dataDir: string): Promise<string | null> => readKey(keyFileOf(dataDir));

/** The password, which the first start creates. It protects the running MongoDB and is not part of the data. */
export const ensurePassword = (dataDir: string): Promise<string> => ensureKey(keyFileOf(dataDir));

/** The key of webhooks' secrets, which the first use creates; the stored data is of no use without it. */
export async function ensureSecretsKey(dataDir: string): Promise<Buffer> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return Buffer.from(await ensureKey(secretsKeyFileOf(dataDir)), 'hex');
}

/** A backup of the data has a copy of it under the same name. */
export const secretsKeyFileOf = (directory: string) => join(directory, 'secrets.key');

async function readKey(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^[0-9a-f]{64}$/.test(text) ? text : null;
}

async function ensureKey(path: string): Promise<string> {
  const known = await readKey(path);
  if (known) return known;
  const draft = draftOf(path);
  await writeFile(draft, randomBytes(keyBytes).toString('hex'), { mode: 0o600 });
  // Of two simultaneous starts, the second uses the first one's; a damaged file is replaced.
  await link(draft, path).catch(async () => (await readKey(path)) ?? rename(draft, path));
  await rm(draft, { force: true });
  return (await readKey(path)) ?? Promise.reject(new Error(`${path} cannot be read`));
}

const keyBytes = 32;

const EmbeddedState = z.object({
  /** A replica set stores its members' ports, so the next start should use the same one. */
  port: z.int().min(1).max(65_535),
  mongodVersion: z.string(),
});
type EmbeddedState = z.infer<typeof EmbeddedState>;

const statePath = (dataDir: string) => join(dataDir, 'embedded.json');

/** Null at the first start, and when the file is damaged: everything in it can be found out again. */
export async function readState(dataDir: string): Promise<EmbeddedState | null> {
  try {
    return EmbeddedState.parse(JSON.parse(await readFile(statePath(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

/** Atomic: the CLI may read at any moment. */
export async function writeState(dataDir: string, state: EmbeddedState): Promise<void> {
  const draft = draftOf(statePath(dataDir));
  await writeFile(draft, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  await rename(draft, statePath(dataDir));
}

const draftOf = (path: string) => `${path}.${process.pid}`;
