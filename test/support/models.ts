/** The stores alone, on their own database, for what a test cannot observe over HTTP. */
import { createModels } from '../../models/index.ts';
import { connectMongoose } from '../../server/database.ts';
import { testDatabaseUri } from './mongo.ts';

export type TestModels = Awaited<ReturnType<typeof openTestModels>>;

/** Opens the stores; `close()` them in `after`. */
export async function openTestModels() {
  const databaseUri = testDatabaseUri();
  const connection = await connectMongoose(databaseUri);
  const models = createModels(connection);
  await models.ensureIndexes();
  return {
    models,
    connection,
    databaseUri,
    async close() {
      await connection.dropDatabase();
      await connection.close();
    },
  };
}
