/** Runs a single mongod as a replica set, which transactions and majority writes require. */
import { mongo } from 'mongoose';
import { type MongodAddress, uriOf, withMongoClient } from './with-mongo-client.ts';

const name = 'gamehost';

export const replicaSetArguments = ['--replSet', name];

export const uriOn = (address: MongodAddress) => uriOf(address, `/gamehost?replicaSet=${name}`);

const hostOn = (port: number) => `127.0.0.1:${port}`;

/** Initiates the replica set if needed, and resolves when its member accepts writes. */
export async function becomePrimary(address: MongodAddress): Promise<void> {
  const members = [{ _id: 0, host: hostOn(address.port) }];
  await withMongoClient(address, async (client) => {
    await client
      .db('admin')
      .command({ replSetInitiate: { _id: name, members } })
      .catch(ignoreInitialized);
  });
  await waitForPrimary(address);
}

/** Not checked beforehand: a member that is still loading its configuration reports that it has none. */
function ignoreInitialized(error: unknown): void {
  if (error instanceof mongo.MongoServerError && error.codeName === 'AlreadyInitialized') return;
  throw error;
}

async function waitForPrimary(address: MongodAddress): Promise<void> {
  const client = new mongo.MongoClient(uriOn(address), { serverSelectionTimeoutMS: 30_000 });
  try {
    await client.connect();
  } finally {
    await client.close();
  }
}

/**
 * Stores another port in the replica set's configuration; a member that does not find its own address there never becomes
 * primary. Needs a mongod that was started without `--replSet`.
 */
export async function reconfigurePort(address: MongodAddress): Promise<void> {
  await withMongoClient(address, async (client) => {
    const configurations = client.db('local').collection<{ _id: string }>('system.replset');
    await configurations.updateOne({ _id: name }, { $set: { 'members.0.host': hostOn(address.port) } });
  });
}
