/** Fills databases of one MongoDB with customers, keys, tickets and a catalog. */
import { type Db, MongoClient } from 'mongodb';
import { createModels } from '../../../models/index.ts';
import { connectMongoose } from '../../../server/database.ts';
import { type Customer, type Customers, type Population, populate, staffAfter } from './customers.ts';
import { gameRecords, keyRecord, staffKeyRecord, staffRecord, ticketRecords, userRecord } from './records.ts';

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

export async function mongodbVersion(uri: string): Promise<string> {
  const client = await MongoClient.connect(uri);
  const { version } = await client.db().admin().serverInfo();
  await client.close();
  return String(version);
}

/** The same MongoDB, another database. */
export const withDatabase = (uri: string, name: string) =>
  uri.replace(/^([\w+]+:\/\/[^/?]+)\/?[^?]*/, `$1/${name}`);
