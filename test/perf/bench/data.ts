/** Fills databases of one MongoDB with customers, keys, tickets and a catalog, as our own models keep them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { hashSecret, prefixOf } from '../../../models/api-key/secret.ts';
import type { ApiKeyRecord } from '../../../models/api-key/store.ts';
import type { GameRecord } from '../../../models/game.ts';
import { createModels } from '../../../models/index.ts';
import type { TicketRecord } from '../../../models/ticket/schema.ts';
import type { UserRecord } from '../../../models/user.ts';
import { scopes } from '../../../routers/scopes.ts';
import { connectMongoose, openDatabase } from '../../../server/database.ts';
import { mongodCacheDir } from '../../support/mongo.ts';
import { type Customer, type Customers, type Population, populate, staffAfter } from './customers.ts';

/** A MongoDB of its own, whose data is deleted at the end. */
export async function startDatabase(say: (line: string) => void) {
  const dataDir = await mkdtemp(join(tmpdir(), 'gamehost-perf-'));
  const database = await openDatabase({
    mongodSystemBinary: process.env['MONGOMS_SYSTEM_BINARY'],
    ...{ dataDir, cacheDir: mongodCacheDir, reportProgress: say },
  });
  return {
    uriOf: (name: string) => withDatabase(database.uri, name),
    async stop() {
      await database.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const batchSize = 2000;

/** Fills a database that is empty or not there yet. */
export async function fillDatabase(uri: string, population: Population): Promise<Customers> {
  await buildIndexes(uri);
  const client = await MongoClient.connect(uri);
  try {
    await insert(client.db(), 'games', gameRecords());
    const inPlay = await insertCustomers(client.db(), population);
    const staff = staffAfter(population);
    await insert(client.db(), 'users', staff.map(staffRecord));
    await insert(client.db(), 'api_keys', staff.map(staffKeyRecord));
    return { readers: inPlay.filter(isEven), writers: inPlay.filter(isOdd), staff };
  } finally {
    await client.close();
  }
}

const isEven = (_: unknown, index: number) => index % 2 === 0;
const isOdd = (_: unknown, index: number) => index % 2 === 1;

/** Returns those in play. */
async function insertCustomers(db: Db, population: Population): Promise<Customer[]> {
  const inPlay: Customer[] = [];
  let batch: Customer[] = [];
  let lastTicketId = 0;
  const flush = async () => {
    await insert(db, 'users', batch.map(userRecord));
    await insert(db, 'api_keys', batch.map(keyRecord));
    await insert(db, 'tickets', batch.flatMap(ticketRecords));
    batch = [];
  };
  for (const customer of populate(population)) {
    if (customer.isInPlay) inPlay.push(customer);
    lastTicketId = customer.ticketIds.at(-1) ?? lastTicketId;
    if (batch.push(customer) === batchSize) await flush();
  }
  if (batch.length > 0) await flush();
  await insert(db, 'sequences', [{ _id: 'ticket', value: lastTicketId }]);
  return inPlay;
}

async function insert<Kept extends { _id: unknown }>(db: Db, collection: string, records: Kept[]) {
  await db.collection<{ _id: unknown }>(collection).insertMany(records, { ordered: false });
}

/** The very indexes that our service builds, for all peers alike. */
async function buildIndexes(uri: string): Promise<void> {
  const connection = await connectMongoose(uri);
  await createModels(connection).ensureIndexes();
  await connection.close();
}

export async function closeNewTickets(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  await client
    .db()
    .collection('tickets')
    .updateMany({ status: 'New' }, { $set: { status: 'Closed' } });
  await client.close();
}

export async function mongodbVersion(uri: string): Promise<string> {
  const client = await MongoClient.connect(uri);
  const { version } = await client.db().admin().serverInfo();
  await client.close();
  return String(version);
}

/** The same MongoDB, another database. */
export const withDatabase = (uri: string, name: string) =>
  uri.replace(/^([\w+]+:\/\/[^/?]+)\/?[^?]*/, `$1/${name}`);

const createdAt = new Date('2026-01-05T09:30:00Z');

/** In the future, so that no server notes a key's use while it is measured: once a minute it would be one write more. */
const lastUsedAt = new Date('2100-01-01T00:00:00Z');

const userRecord = ({ userId }: Customer): UserRecord => ({
  _id: userId,
  email: `customer${userId}@example.com`,
  passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$c29tZWhhc2hvZnRoaXJ0eXR3b2J5dGVz',
  firstName: 'Dana',
  lastName: 'Miller',
  nickname: `dana${userId}`,
  isAdmin: false,
  isSupport: false,
  chatId: '80351110224678912',
  chatUsername: 'dana',
  chatAvatarUrl: 'https://cdn.chat.example/avatars/80351110224678912.png',
  panelUserId: userId,
  externalId: null,
  isActive: true,
  sessionsEndedAt: null,
  createdAt,
  updatedAt: createdAt,
});

const keyRecord = ({ userId, secret }: Customer): ApiKeyRecord => ({
  _id: `key-${userId}`,
  userId,
  name: 'bench',
  hash: hashSecret(secret),
  prefix: prefixOf(secret),
  scopes: scopes.filter((scope) => !scope.startsWith('admin:')),
  createdAt,
  expiresAt: null,
  revokedAt: null,
  replacedBy: null,
  lastUsedAt,
});

const staffRecord = (member: Customer): UserRecord => ({ ...userRecord(member), isAdmin: true });

const staffKeyRecord = (member: Customer): ApiKeyRecord => ({
  ...keyRecord(member),
  scopes: ['admin:tickets'],
});

/** Who answers the tickets: a user who is there however many there are. */
const staffId = 1;

/** Staff wrote last in every other one. */
const ticketRecords = ({ userId, ticketIds, isOpen }: Customer): TicketRecord[] =>
  ticketIds.map((_id) => ({
    _id,
    userId,
    subject: `Players time out since noon (${_id})`,
    status: isOpen ? 'Active' : 'Closed',
    lastReplyBy: _id % 2 === 0 ? 'staff' : 'customer',
    serviceName: null,
    serviceReference: null,
    serviceType: null,
    messages: [
      ticketMessage(userId, 'Players time out every few minutes.'),
      _id % 2 === 0
        ? { ...ticketMessage(staffId, 'Thank you, we are looking into it.'), author: 'staff' as const }
        : ticketMessage(userId, 'It began with the update.'),
    ],
    ...{ messageBytes: 69, customerBytes: 35, messageCount: 2 },
    createdAt,
    updatedAt: createdAt,
  }));

const ticketMessage = (userId: number, text: string) => ({
  id: `message-${userId}`,
  ...{ userId, keyId: `key-${userId}`, text, createdAt },
});

/** Twelve games with three plans each, about 8 kB of JSON. */
const gameRecords = (): GameRecord[] =>
  Array.from({ length: 12 }, (_, index) => ({
    _id: `game-${index}`,
    title: `Game ${String(index).padStart(2, '0')}`,
    description: 'Servers that are ready in a minute, with any mod pack.',
    shortDesc: 'Ready in a minute.',
    category: 'Survival',
    icon: `https://cdn.gamehost.example/game-${index}/icon.svg`,
    cover: null,
    banner: null,
    pricingBackground: null,
    priceFrom: '4.99',
    plans: ['Dirt', 'Iron', 'Gold'].map((title) => ({
      title,
      subtitle: 'For a few friends',
      price: '9.99',
      period: 'month',
      popular: title === 'Iron',
      features: ['6 GB memory', '40 slots'],
      billingId: null,
    })),
    isActive: true,
  }));
