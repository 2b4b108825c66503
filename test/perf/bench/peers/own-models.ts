/** Our own models on the database that a peer is given, reached as our service reaches it. */
import { createModels, type Models } from '../../../../models/index.ts';
import type { Config } from '../../../../server/config.ts';
import { callTimeoutMs, connectMongoose } from '../../../../server/database.ts';
import { databaseUri } from './settings.ts';

export const openOwnModels = async (config: Config): Promise<Models> =>
  createModels(await connectMongoose(databaseUri(config), { callTimeoutMs }));
