/** Customers with a key each, straight into the database, for load that comes from many. */
import { createModels } from '../../../models/index.ts';
import { scopes } from '../../../routers/scopes.ts';
import { connectMongoose } from '../../../server/database.ts';

/** The secrets of so many new customers' keys. The service must have run on the database before. */
export async function addCustomers(uri: string, count: number): Promise<string[]> {
  const connection = await connectMongoose(uri);
  const { users, apiKeys } = createModels(connection);
  const now = new Date();
  const addOne = async (_: unknown, index: number) => {
    const profile = { email: `customer${index}.${now.getTime()}@example.com`, password: 'correct horse' };
    const user = await users.add(profile, now);
    if (!user) throw new Error('the e-mail address is taken');
    const { secret } = await apiKeys.issue({ userId: user._id, name: 'load', scopes, expiresAt: null }, now);
    return secret;
  };
  const secrets = await Promise.all(Array.from({ length: count }, addOne));
  await connection.close();
  return secrets;
}
