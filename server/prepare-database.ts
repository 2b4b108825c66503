/** Prepares the database before the first request: waits for MongoDB, migrates documents and builds missing indexes. */
import { createModels } from '../models/index.ts';
import { SchemaError } from '../models/migrations/migration.ts';
import { connectMongoose } from './database.ts';
import { type ReportProgress, StartError } from './dev/progress.ts';

interface PrepareOptions {
  reportProgress: ReportProgress;
  /** How long to wait for MongoDB; the last attempt may take five seconds longer. */
  timeoutMs?: number;
  /** Stops waiting. */
  signal?: AbortSignal | undefined;
}

/**
 * Uses a connection without the service's call timeouts: migrations and index builds may take longer.
 * @throws {StartError} when MongoDB refuses, stays away, or holds a newer schema than this program knows
 */
export async function prepareDatabase(
  uri: string,
  { reportProgress, timeoutMs = 30_000, signal }: PrepareOptions,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  const waiting = `; waiting for it up to ${Math.ceil(timeoutMs / 1000)} s ...`;
  const onRetry = reportOnce(reportProgress, waiting);
  const connection = await connectUntil(uri, deadline, { onRetry, signal });
  try {
    const models = createModels(connection);
    await models.migrate({ onProgress: reportProgress, signal });
    await models.ensureIndexes();
  } catch (cause) {
    throw cause instanceof SchemaError ? new StartError(cause.message, { cause }) : cause;
  } finally {
    await connection.close();
  }
}

interface RetryOptions extends Pick<PrepareOptions, 'signal'> {
  onRetry: (reason: string) => void;
}

async function connectUntil(uri: string, deadline: number, { onRetry, signal }: RetryOptions) {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await connectMongoose(uri, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (!isUnreachable(error) || Date.now() >= deadline) throw error;
      onRetry(error.message);
    }
  }
}

/** Unreachable or without a primary, which may pass; a rejected password does not. */
const isUnreachable = (error: unknown): error is StartError =>
  error instanceof StartError &&
  error.cause instanceof Error &&
  error.cause.name === 'MongooseServerSelectionError';

function reportOnce(reportProgress: ReportProgress, suffix: string): ReportProgress {
  let isReported = false;
  return (line) => {
    if (!isReported) reportProgress(`${line}${suffix}`);
    isReported = true;
  };
}
