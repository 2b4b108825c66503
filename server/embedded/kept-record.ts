/** What is written beside the data for the next start and for the CLI. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const KeptRecord = z.object({
  /** A replica set remembers its host and port, so the next start should have the same. */
  port: z.int().min(1).max(65_535),
  mongodVersion: z.string(),
});
export type KeptRecord = z.infer<typeof KeptRecord>;

const recordPath = (dataDir: string) => join(dataDir, 'embedded.json');

/** Null at a first start, and when the file is damaged: nothing in it is lost for good. */
export async function readRecord(dataDir: string): Promise<KeptRecord | null> {
  try {
    return KeptRecord.parse(JSON.parse(await readFile(recordPath(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

/** Whole or not at all, for others may read at any moment. */
export async function writeRecord(dataDir: string, record: KeptRecord): Promise<void> {
  const draft = `${recordPath(dataDir)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(record)}\n`);
  await rename(draft, recordPath(dataDir));
}
