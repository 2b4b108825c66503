/** Checks whether MongoDB can be used, and whether the service has ever started on it. Changes nothing. */
import { createModels } from '../../models/index.ts';
import type { Config } from '../config.ts';
import {
  connectMongoose,
  findRunningEmbedded,
  readMongodbVersion,
  requireRights,
  requireTransactions,
} from '../database.ts';
import { describeOutdated } from '../outdated.ts';
import type { Finding } from './finding.ts';

export async function checkMongodb({ mongodbUri, dataDir }: Config): Promise<Finding> {
  const uri = mongodbUri ?? (await findRunningEmbedded(dataDir));
  if (uri === null)
    return { state: 'note', message: 'the embedded MongoDB does not run: it starts with the service' };
  try {
    return await inspect(uri, mongodbUri === undefined);
  } catch (failure) {
    return { state: 'failed', message: failure instanceof Error ? failure.message : String(failure) };
  }
}

async function inspect(uri: string, isEmbedded: boolean): Promise<Finding> {
  const connection = await connectMongoose(uri);
  try {
    await requireTransactions(connection);
    await requireRights(connection);
    const { version: schema, pending } = await createModels(connection).readSchema();
    if (schema === 0)
      return {
        state: 'note',
        message: 'ready and empty: the service has not started on it yet, and its first start fills it',
      };
    const version = await readMongodbVersion(connection);
    const outdated = isEmbedded ? null : describeOutdated('MongoDB', version);
    if (outdated) return { state: 'note', message: outdated };
    const next = pending.length > 0 ? `; the next start applies ${pending.length} migrations` : '';
    return { state: 'ok', message: `version ${version}, schema version ${schema}${next}` };
  } finally {
    await connection.close();
  }
}
