/** Two processes of the service on one database, for the tests of a `describe`. */
import type { NewUser, UserRecord } from '../../models/user.ts';
import { scopes } from '../../routers/scopes.ts';
import { openTestModels } from './models.ts';
import { startProgram } from './program.ts';
import { useStarted } from './use-started.ts';

/** @param settings of both, asked for when they start */
export const useTwoPrograms = (settings: () => Record<string, string>) =>
  useStarted(async () => {
    const database = await openTestModels();
    const environment = { MONGODB_URI: database.databaseUri, ...settings() };
    const [one, other] = await Promise.all([startProgram(environment), startProgram(environment)]);
    let userCount = 0;
    const addUser = async (profile: Partial<NewUser> = {}): Promise<UserRecord> => {
      userCount += 1;
      const newUser = { email: `user${userCount}@example.com`, password: 'correct horse', ...profile };
      const user = await database.models.users.add(newUser, new Date());
      if (!user) throw new Error('the e-mail address is taken');
      return user;
    };
    return {
      ...database,
      one,
      other,
      addUser,
      /** A key with all scopes, of a new user unless told otherwise. */
      async addKey(user?: UserRecord, name = 'test') {
        const { _id: userId } = user ?? (await addUser());
        return database.models.apiKeys.issue({ userId, name, scopes, expiresAt: null }, new Date());
      },
      async stop() {
        await Promise.all([one.stop(), other.stop()]);
        await database.stop();
      },
    };
  });
