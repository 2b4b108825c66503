/** Stores customers with a key and tickets each directly in the database, for load from many customers. */
import { liveKeysMax } from '../../models/bounds.ts';
import { createModels, type Models } from '../../models/index.ts';
import { scopes } from '../../routers/scopes.ts';
import { connectMongoose } from '../../server/database.ts';

export interface Customer {
  userId: number;
  secret: string;
  ticketIds: number[];
}

/** In the future: the service stores a key's use once a minute, which would add a write to some calls. */
const lastUsedAt = new Date('2100-01-01T00:00:00Z');

/** Adds customers with open tickets to a database that may be empty. */
export async function fillDatabase(uri: string, count: number, ticketsEach = 0): Promise<Customer[]> {
  const connection = await connectMongoose(uri);
  const { users, apiKeys, tickets, ensureCollections } = createModels(connection);
  await ensureCollections();
  const now = new Date();
  const service = { serviceName: null, serviceReference: null, serviceType: null };
  const addOne = async (_: unknown, index: number) => {
    const user = await users.add({ email: `customer${index}.${now.getTime()}@example.com` }, now);
    if (!user) throw new Error('the e-mail address is taken');
    const userId = user._id;
    const { secret } = await apiKeys.issue({ userId, name: 'load', scopes, expiresAt: null }, now);
    const ticketIds: number[] = [];
    while (ticketIds.length < ticketsEach) {
      const words = { subject: 'Players time out since noon', text: 'Every few minutes.' };
      ticketIds.push((await tickets.open({ ...service, ...words, userId, keyId: '', now }))._id);
    }
    return { userId, secret, ticketIds };
  };
  const customers = await Promise.all(Array.from({ length: count }, addOne));
  await connection.collection('users').updateMany({}, [{ $set: { panelUserId: '$_id' } }]);
  await connection.collection('tickets').updateMany({}, { $set: { status: 'Active' } });
  await connection.collection('api_keys').updateMany({}, { $set: { lastUsedAt } });
  await connection.close();
  return customers;
}

export async function issueAllKeys({ apiKeys }: Models, { userId, secret }: Customer): Promise<string[]> {
  const keys = [secret];
  while (keys.length < liveKeysMax) {
    const key = { userId, name: 'hostile', scopes, expiresAt: null };
    keys.push((await apiKeys.issue(key, new Date())).secret);
  }
  return keys;
}

export const addCustomers = async (uri: string, count: number): Promise<string[]> =>
  (await fillDatabase(uri, count)).map(({ secret }) => secret);
