/** Reads over a breaking connection to MongoDB: one break is retried, a second one rejects instead of an empty result. */
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { createModels, type Models } from '../../models/index.ts';
import { connectMongoose } from '../../server/database.ts';
import { failureOf } from '../support/failure-of.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { openTestModels, type TestModels } from '../support/models.ts';

const now = new Date('2026-11-21T12:00:00Z');
const service = { serviceName: null, serviceReference: null, serviceType: null };

describe('a read over a breaking connection to MongoDB', () => {
  let opened: TestModels;
  let line: FlakyProxy;
  let connection: Connection;
  let models: Models;
  let secret: string;

  before(async () => {
    opened = await openTestModels();
    const { users, apiKeys, tickets } = opened.models;
    await users.add({ email: 'ada@example.com', password: 'correct horse' }, now);
    ({ secret } = await apiKeys.issue({ userId: 1, name: 'test', scopes: [], expiresAt: null }, now));
    await tickets.open({ ...service, userId: 1, keyId: 'key', subject: 'Lag', text: 'Since noon.', now });
    line = await openFlakyProxy(opened.databaseUri);
    connection = await connectMongoose(line.uri);
    models = createModels(connection);
  });
  after(async () => {
    await connection.close();
    line.close();
    await opened.close();
  });

  const reads = [
    {
      ...{ what: 'a key', collection: 'api_keys', found: 'test' },
      read: async () => (await models.apiKeys.verify(secret, now)).key?.name,
    },
    {
      ...{ what: 'a user', collection: 'users', found: 'ada@example.com' },
      read: async () => (await models.users.find(1))?.email,
    },
    {
      ...{ what: 'the tickets of a user', collection: 'tickets', found: 'Lag' },
      read: async () => (await models.tickets.list(1))[0]?.subject,
    },
  ];

  for (const { what, collection, found, read } of reads) {
    it(`retries ${what} after one break`, async () => {
      line.breakAt(collection, 1);
      expect(await read()).to.equal(found);
      expect(line.breaksLeft()).to.equal(0);
    });

    it(`rejects ${what} after a second break and recovers afterwards`, async () => {
      line.breakAt(collection, 2);
      expect((await failureOf(read())).name).to.equal('MongoNetworkError');
      expect(line.breaksLeft()).to.equal(0);
      expect(await read()).to.equal(found);
    });
  }
});
