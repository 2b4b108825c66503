/** Gives a command its input and output, and the database that the settings name. */
import { createModels, type Models } from '../../models/index.ts';
import type { UserRecord } from '../../models/user.ts';
import { type Config, readConfig } from '../config.ts';
import { connectMongoose, findRunningEmbedded, openDatabase } from '../database.ts';
import { unlockVault } from '../events/unlock.ts';
import { type PanelSettings, toSettings } from '../panel/settings.ts';
import { CommandError } from './print.ts';

export interface Io {
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
  env: NodeJS.ProcessEnv;
}

export type Access<Db> = <Result>(io: Io, work: (db: Db) => Promise<Result>) => Promise<Result>;

/**
 * Migrates and builds indexes, so that a command may run before the first start of the service. A change may cause an event
 * for a webhook, so if webhooks are stored, these commands need their SECRETS_KEY.
 */
export const withModels: Access<Models> = (io, work) =>
  withBareModels(io, async (models) => {
    await models.migrate();
    await models.ensureCollections();
    await unlockVault(models, readConfig(io.env));
    return work(models);
  });

export const withBareModels: Access<Models> = async (io, work) => {
  const config = readConfig(io.env);
  const uri = config.mongodbUri ? null : await findRunningEmbedded(config.dataDir);
  const running = uri ? { uri, stop: async () => {} } : null;
  const database = running ?? (await openDatabase({ ...config, reportProgress: printProgressTo(io) }));
  try {
    const connection = await connectMongoose(database.uri);
    try {
      return await work(createModels(connection, config.brand));
    } finally {
      await connection.close();
    }
  } finally {
    await database.stop();
  }
};

export const withoutDatabase: Access<null> = (_io, work) => work(null);

/** Prints to standard error, so that standard output has only the result. */
export const printProgressTo =
  ({ stderr }: Io) =>
  (line: string) =>
    void stderr.write(`${line}\n`);

export async function getUser(models: Models, email: string): Promise<UserRecord> {
  const user = await models.users.findByEmail(email);
  if (!user) throw noUserWith(email);
  return user;
}

export const findUserId = async (models: Models, email: string | undefined) =>
  email === undefined ? undefined : (await getUser(models, email))._id;

export const noUserWith = (email: string) => new CommandError(`no user has the e-mail address ${email}`);

/** @throws {CommandError} if no panel is configured. Drops log lines, because the command reports errors itself. */
export function openPanelSettings(panel: Config['panel']): PanelSettings {
  if (!panel) throw new CommandError('PANEL_URL is not set, so there is no panel');
  return toSettings({ ...panel, clock: Date.now, log: { error: () => {}, warn: () => {} } });
}
