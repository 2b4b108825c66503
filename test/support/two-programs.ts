/** Two processes of the service on one database, for the tests of a `describe`. */
import { openTestModels } from './models.ts';
import { startProgram } from './program.ts';
import { createFactories } from './service.ts';
import { useStarted } from './use-started.ts';

/** @param settings of both, called when they start */
export const useTwoPrograms = (settings: () => Record<string, string>) =>
  useStarted(async () => {
    const database = await openTestModels();
    const environment = { MONGODB_URI: database.databaseUri, ...settings() };
    const [one, other] = await Promise.all([startProgram(environment), startProgram(environment)]);
    return {
      ...database,
      one,
      other,
      ...createFactories(database, Date.now),
      async stop() {
        await Promise.all([one.stop(), other.stop()]);
        await database.stop();
      },
    };
  });
