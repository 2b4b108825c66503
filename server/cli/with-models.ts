/** The database for the length of one command: named, beside a running service, or embedded and stopped again. */
import { createModels, type Models } from '../../models/index.ts';
import type { UserRecord } from '../../models/user.ts';
import { type Config, readConfig } from '../config.ts';
import { connectMongoose, findRunningEmbedded, openDatabase } from '../database.ts';
import { CommandError } from './verb.ts';

type Work<Result> = (models: Models) => Promise<Result>;

/** In this program's shape and with all indexes, so that a command may come before the first start. */
export const withModels = <Result>(work: Work<Result>): Promise<Result> =>
  withBareModels(async (models) => {
    await models.migrate({ say });
    await models.ensureIndexes();
    return work(models);
  });

/** The database as it is found. */
export async function withBareModels<Result>(work: Work<Result>): Promise<Result> {
  const { uri, stop } = await findDatabase(readConfig());
  try {
    const connection = await connectMongoose(uri);
    try {
      return await work(createModels(connection));
    } finally {
      await connection.close();
    }
  } finally {
    await stop();
  }
}

/**
 * The database as it is found, where no service is at work on it, as far as that can be known.
 * @throws {CommandError} beside a running service
 */
export async function withIdleModels<Result>(work: Work<Result>): Promise<Result> {
  const { mongodbUri, dataDir } = readConfig();
  if (!mongodbUri && (await findRunningEmbedded(dataDir)))
    throw new CommandError('the service is running on this database; stop it first');
  return withBareModels(work);
}

/** @throws {CommandError} when nobody has the e-mail address */
export async function getUser(models: Models, email: string): Promise<UserRecord> {
  const user = await models.users.findByEmail(email);
  if (!user) throw nobodyHas(email);
  return user;
}

export const nobodyHas = (email: string) => new CommandError(`nobody has the e-mail address ${email}`);

async function findDatabase(config: Config): Promise<{ uri: string; stop(): Promise<void> }> {
  const uri = config.mongodbUri ? null : await findRunningEmbedded(config.dataDir);
  return uri ? { uri, stop: async () => {} } : openDatabase({ ...config, say });
}

/** Progress is not the result: it must not mix with it in a pipe. */
export const say = (line: string) => void process.stderr.write(`${line}\n`);
