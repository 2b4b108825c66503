/** A short conversation with one mongod on this machine, whatever the state of its replica set. */
import { mongo } from 'mongoose';

/** @throws when no MongoDB answers on the port within two seconds. */
export async function talkTo<T>(port: number, talk: (client: mongo.MongoClient) => Promise<T>): Promise<T> {
  const client = new mongo.MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 2000,
    // Or a stranger that takes the connection and says nothing keeps this process from ending for half a minute.
    connectTimeoutMS: 2000,
  });
  try {
    return await talk(await client.connect());
  } finally {
    await client.close();
  }
}
