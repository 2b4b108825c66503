/** Reads over a breaking connection to MongoDB: two breaks are retried, and a third rejects instead of returning nothing. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { createModels, type Models } from '../../models/index.ts';
import { findSingleBatch } from '../../models/support/reads.ts';
import { connectMongoose } from '../../server/database.ts';
import { eventually } from '../support/eventually.ts';
import { failureOf } from '../support/failure-of.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { openTestModels } from '../support/models.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { useStarted } from '../support/use-started.ts';

/** Not in the past, because MongoDB deletes idempotency keys of the day before. */
const now = new Date('2100-11-21T12:00:00Z');
const service = { serviceName: null, serviceReference: null, serviceType: null };

describe('a read over a breaking connection to MongoDB', () => {
  const opened = useStarted(() => openTestModels());
  let line: FlakyProxy;
  let connection: Connection;
  let models: Models;
  let secret: string;

  before(async () => {
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
    it(`of ${what} succeeds after two breaks`, async () => {
      line.breakAt(collection, 2);
      expect(await read()).to.equal(found);
      expect(line.breaksLeft()).to.equal(0);
    });

    it(`of ${what} rejects after a third break and recovers afterwards`, async () => {
      line.breakAt(collection, 3);
      expect((await failureOf(read())).name).to.equal('MongoNetworkError');
      expect(line.breaksLeft()).to.equal(0);
      expect(await read()).to.equal(found);
    });
  }
});

describe('a read that starts while a connection to MongoDB closes', () => {
  const opened = useStarted(() => openTestModels());

  it('ends, as do reads that wait for it', async () => {
    const sockets: Socket[] = [];
    const remember = (message: unknown) => sockets.push((message as { socket: Socket }).socket); // Published by Node.
    const line = await openFlakyProxy(opened.databaseUri);
    subscribe('net.client.socket', remember);
    const connection = await connectMongoose(line.uri);
    const { users } = createModels(connection);
    await users.find(1);
    unsubscribe('net.client.socket', remember);
    const reads: Promise<unknown>[] = [];
    for (const socket of sockets) socket.once('finish', () => reads.push(users.find(1)));
    const closed = sockets.map((socket) => once(socket, 'close'));
    line.breakNow();
    await Promise.all(closed);
    expect(reads).not.to.have.length(0);
    await Promise.allSettled(reads);
    expect(await users.find(1)).to.equal(null);
    await connection.close();
    line.close();
  });
});

describe('a read that MongoDB refuses', () => {
  it('is not retried', async () => {
    let commands = 0;
    const connection = await connectMongoose(testDatabaseUri(), { monitorCommands: true });
    connection.getClient().on('commandStarted', () => {
      commands += 1;
    });
    const refused = findSingleBatch(connection, { find: 'games', filter: { $wrong: 1 }, limit: 1 });
    expect(await failureOf(refused)).to.include({ name: 'MongoServerError', codeName: 'BadValue' });
    expect(commands).to.equal(1);
    await connection.close();
  });
});

describe('leases that cannot be released during an outage', () => {
  const opened = useStarted(() => openTestModels());

  it('are released in one batch when MongoDB is back', async () => {
    const line = await openFlakyProxy(opened.databaseUri);
    const connection = await connectMongoose(line.uri, { monitorCommands: true });
    const { idempotencyRecords } = createModels(connection);
    const count = 50;
    const claimNumber = async (number: number) => {
      const request = { keyId: 'key', idempotencyKey: String(number), fingerprint: 'same', now };
      const outcome = await idempotencyRecords.claim(request);
      if (outcome.state !== 'claimed') throw new Error(`it is ${outcome.state}`);
      return outcome.claim;
    };
    const claims = await Promise.all(Array.from({ length: count }, (_, index) => claimNumber(index)));
    line.breakAt('idempotency_records', Number.MAX_SAFE_INTEGER);
    await Promise.all(claims.map((claim) => idempotencyRecords.expireLease(claim)));
    line.breakAt('', 0);
    let updates = 0;
    connection.getClient().on('commandStarted', ({ commandName }) => {
      if (commandName === 'update') updates += 1;
    });
    const records = opened.connection.collection('idempotency_records');
    await eventually(async () =>
      expect(await records.countDocuments({ leaseEndsAt: new Date(0) })).to.equal(count),
    );
    expect(updates).to.be.below(count / 2);
    await connection.close();
    line.close();
  });
});
