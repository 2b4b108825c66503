/** One mongod as a replica set of one, which transactions and majority writes need. */
import { mongo } from 'mongoose';
import { talkTo } from './talk.ts';

const name = 'gamehost';

/** What makes a mongod a member of our replica set. */
export const replicaSetArguments = ['--replSet', name];

export const uriOn = (port: number) => `mongodb://${hostOn(port)}/gamehost?replicaSet=${name}`;

const hostOn = (port: number) => `127.0.0.1:${port}`;

/** Ends when the member on this port takes writes; a new one is made a set first. */
export async function becomePrimary(port: number): Promise<void> {
  const members = [{ _id: 0, host: hostOn(port) }];
  await talkTo(port, async (client) => {
    await client
      .db('admin')
      .command({ replSetInitiate: { _id: name, members } })
      .catch(unlessInitialized);
  });
  await waitForPrimary(port);
}

/** Asking first would not do: a member that is still reading its configuration says it has none. */
function unlessInitialized(error: unknown): void {
  if (error instanceof mongo.MongoServerError && error.codeName === 'AlreadyInitialized') return;
  throw error;
}

async function waitForPrimary(port: number): Promise<void> {
  const client = new mongo.MongoClient(uriOn(port), { serverSelectionTimeoutMS: 30_000 });
  try {
    await client.connect();
  } finally {
    await client.close();
  }
}

/**
 * Makes the data remember another port: a replica set knows its members by host and port, and one that does not
 * find itself there waits for a primary in vain. Works on a mongod that runs for itself alone, outside the set.
 */
export async function rememberPort(port: number): Promise<void> {
  await talkTo(port, async (client) => {
    const configurations = client.db('local').collection<{ _id: string }>('system.replset');
    await configurations.updateOne({ _id: name }, { $set: { 'members.0.host': hostOn(port) } });
  });
}
