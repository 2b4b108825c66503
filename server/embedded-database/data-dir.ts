/**
 * The layout of DATA_DIR, which only its owner can read. mongodb/ has MongoDB's files, mongodb.key its password, secrets.key
 * the key of webhooks' secrets, and embedded.json the state for the next start.
 */
import { randomBytes } from 'node:crypto';
import { link, lstat, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { lastLine, StartError } from '../progress.ts';

/** Creates the directory if needed. The path is absolute with links resolved, so that two names of one directory compare equal. */
export async function dbPathOf(dataDir: string): Promise<string> {
  const dbPath = join(dataDir, 'mongodb');
  await mkdir(dbPath, { recursive: true, mode: 0o700 });
  return realpath(dbPath);
}

export const keyFileOf = (dataDir: string) => join(dataDir, 'mongodb.key');

/** Null before the first start with a password, and if the file is damaged. */
export const readPassword = (dataDir: string): Promise<string | null> =>
  readKey(keyFileOf(dataDir)).catch(() => null);

/** The password protects the running MongoDB but not the data: if the file is missing or damaged, a start creates another. */
export function ensurePassword(dataDir: string): Promise<string> {
  const path = keyFileOf(dataDir);
  return ensureKey(path).catch(async () => {
    await rm(path, { force: true });
    return ensureKey(path);
  });
}

/**
 * The key that encrypts webhooks' secrets. The first use creates it, and encrypted data is useless without it.
 * @throws {StartError} if the file exists but cannot be used: it is never replaced
 */
export async function ensureSecretsKey(dataDir: string): Promise<Buffer> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return Buffer.from(await ensureKey(secretsKeyFileOf(dataDir)), 'hex');
}

export const secretsKeyFileOf = (directory: string) => join(directory, 'secrets.key');

async function readKey(path: string): Promise<string> {
  const text = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new Error('it does not hold 64 hexadecimal digits');
  return text;
}

async function ensureKey(path: string): Promise<string> {
  if (!(await lstat(path).catch(() => null))) await createKey(path);
  return readKey(path).catch((cause) => {
    const todo = 'Repair it, or restore it from a copy: it is never replaced.';
    throw new StartError(`${path} cannot be used: ${lastLine(cause)}. ${todo}`, { cause });
  });
}

async function createKey(path: string): Promise<void> {
  const draft = draftOf(path);
  // The key is flushed to disk before it gets its name, because an empty file would stop every later start.
  await writeFile(draft, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
  // If two services start at once, the second uses the key of the first.
  await link(draft, path).catch((failure) => failure.code !== 'EEXIST' && Promise.reject(failure));
  await rm(draft, { force: true });
}

const EmbeddedState = z.object({
  /** A replica set stores its members' ports, so the next start should use the same one. */
  port: z.int().min(1).max(65_535),
  mongodVersion: z.string(),
});

const statePath = (dataDir: string) => join(dataDir, 'embedded.json');

/** Null at the first start, and if the file is damaged: the service can work out its content again. */
export async function readState(dataDir: string): Promise<z.infer<typeof EmbeddedState> | null> {
  try {
    return EmbeddedState.parse(JSON.parse(await readFile(statePath(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

/** Atomic, because the command line may read it at any moment. */
export async function writeState(dataDir: string, state: z.infer<typeof EmbeddedState>): Promise<void> {
  const draft = draftOf(statePath(dataDir));
  await writeFile(draft, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  await rename(draft, statePath(dataDir));
}

const draftOf = (path: string) => `${path}.${process.pid}`;
