/** The stores on their own database, for behaviour that a test cannot observe over HTTP. */
import { createModels } from '../../models/index.ts';
import { connectMongoose } from '../../server/database.ts';
import { returnIndexedDatabase, takeIndexedDatabase } from './mongo.ts';

export type TestModels = Awaited<ReturnType<typeof openTestModels>>;

/** Opens the stores; `stop()` them in `after`. */
export async function openTestModels() {
  const databaseUri = await takeIndexedDatabase();
  const connection = await connectMongoose(databaseUri);
  const models = createModels(connection);
  return {
    models,
    connection,
    databaseUri,
    async stop() {
      await returnIndexedDatabase(connection, databaseUri);
      await connection.close();
    },
  };
}
