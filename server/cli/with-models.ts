/** The database for one command: MONGODB_URI, the embedded one of a running service, or an embedded one started for it. */
import { createModels, type Models } from '../../models/index.ts';
import type { UserRecord } from '../../models/user.ts';
import { type Config, readConfig } from '../config.ts';
import { connectMongoose, findRunningEmbedded, openDatabase } from '../database.ts';
import { CommandError } from './verb.ts';

type Work<Result> = (models: Models) => Promise<Result>;

/** Migrated and with all indexes, so that a command may run before the first start of the service. */
export const withModels = <Result>(work: Work<Result>): Promise<Result> =>
  withBareModels(async (models) => {
    await models.migrate({ onProgress: say });
    await models.ensureIndexes();
    return work(models);
  });

/** The database as it is, without migrations. */
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
 * The same, while no service uses the database, as far as that can be detected.
 * @throws {CommandError} when a service runs on the embedded database
 */
export async function withIdleModels<Result>(work: Work<Result>): Promise<Result> {
  const { mongodbUri, dataDir } = readConfig();
  if (!mongodbUri && (await findRunningEmbedded(dataDir)))
    throw new CommandError('the service is running on this database; stop it first');
  return withBareModels(work);
}

/** @throws {CommandError} when no user has the e-mail address */
export async function getUser(models: Models, email: string): Promise<UserRecord> {
  const user = await models.users.findByEmail(email);
  if (!user) throw noUserWith(email);
  return user;
}

export const noUserWith = (email: string) => new CommandError(`no user has the e-mail address ${email}`);

async function findDatabase(config: Config): Promise<{ uri: string; stop(): Promise<void> }> {
  const uri = config.mongodbUri ? null : await findRunningEmbedded(config.dataDir);
  return uri ? { uri, stop: async () => {} } : openDatabase({ ...config, reportProgress: say });
}

/** Progress goes to standard error, apart from the result. */
export const say = (line: string) => void process.stderr.write(`${line}\n`);
