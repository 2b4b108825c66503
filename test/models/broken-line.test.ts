/** Reads while the line to MongoDB breaks: one break nobody notices, a second one is a failure and not an empty answer. */
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { createModels, type Models } from '../../models/index.ts';
import { connectMongoose } from '../../server/database.ts';
import { failureOf } from '../support/failure-of.ts';
import { openTestModels, type TestModels } from '../support/models.ts';
import { openShakyLine, type ShakyLine } from '../support/shaky-line.ts';

const now = new Date('2026-11-21T12:00:00Z');
const service = { serviceName: null, serviceReference: null, serviceType: null };

describe('reads on a line to MongoDB that breaks', () => {
  let opened: TestModels;
  let line: ShakyLine;
  let connection: Connection;
  let models: Models;
  let secret: string;

  before(async () => {
    opened = await openTestModels();
    const { users, apiKeys, tickets } = opened.models;
    await users.add({ email: 'ada@example.com', password: 'correct horse' }, now);
    ({ secret } = await apiKeys.issue({ userId: 1, name: 'test', scopes: [], expiresAt: null }, now));
    await tickets.open({ ...service, userId: 1, keyId: 'key', subject: 'Lag', text: 'Since noon.', now });
    line = await openShakyLine(opened.databaseUri);
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
      ...{ what: 'the tickets of one', collection: 'tickets', found: 'Lag' },
      read: async () => (await models.tickets.list(1))[0]?.subject,
    },
  ];

  for (const { what, collection, found, read } of reads) {
    it(`${what}: asked once more after a break`, async () => {
      line.breakAt(collection, 1);
      expect(await read()).to.equal(found);
      expect(line.breaksLeft()).to.equal(0);
    });

    it(`${what}: fails after a second break, and is there again afterwards`, async () => {
      line.breakAt(collection, 2);
      expect((await failureOf(read())).name).to.equal('MongoNetworkError');
      expect(line.breaksLeft()).to.equal(0);
      expect(await read()).to.equal(found);
    });
  }
});
