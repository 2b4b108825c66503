/** Makes the database fit before the first request: waits until it is there, migrates it, and builds the indexes it lacks. */
import { createModels } from '../models/index.ts';
import { SchemaError } from '../models/migrations/migration.ts';
import { connectMongoose } from './database.ts';
import { type Say, StartError } from './embedded/say.ts';

interface Waiting {
  say: Say;
  /** How long a MongoDB that is away is waited for; each try may take five seconds more. */
  patienceMs?: number;
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
}

/**
 * On a connection of its own, as changing documents and building indexes may take longer than a call of the service may.
 * @throws {StartError} when MongoDB refuses, is still away at the end of the patience, or is a newer program's
 */
export async function prepareDatabase(
  uri: string,
  { say, patienceMs = 30_000, signal }: Waiting,
): Promise<void> {
  const until = Date.now() + patienceMs;
  const onAway = sayOnce(say, `; waiting for it up to ${Math.ceil(patienceMs / 1000)} s ...`);
  const connection = await connectUntil(uri, until, { onAway, signal });
  try {
    const models = createModels(connection);
    await models.migrate({ say, signal });
    await models.ensureIndexes();
  } catch (cause) {
    throw cause instanceof SchemaError ? new StartError(cause.message, { cause }) : cause;
  } finally {
    await connection.close();
  }
}

interface Patience extends Pick<Waiting, 'signal'> {
  onAway: Say;
}

async function connectUntil(uri: string, until: number, { onAway, signal }: Patience) {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await connectMongoose(uri, { signal });
    } catch (failure) {
      signal?.throwIfAborted();
      if (!isAway(failure) || Date.now() >= until) throw failure;
      onAway(failure.message);
    }
  }
}

/** Not there, or without a primary; a refusal, of a password say, is no matter of time. */
const isAway = (failure: unknown): failure is StartError =>
  failure instanceof StartError &&
  failure.cause instanceof Error &&
  failure.cause.name === 'MongooseServerSelectionError';

function sayOnce(say: Say, ending: string): Say {
  let isSaid = false;
  return (line) => {
    if (!isSaid) say(`${line}${ending}`);
    isSaid = true;
  };
}
