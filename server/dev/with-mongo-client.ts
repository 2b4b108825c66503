/** Runs commands on one local mongod, whatever the state of its replica set. */
import { mongo } from 'mongoose';

/** Where a local mongod listens, and its password; null for one without. */
export interface MongodAddress {
  port: number;
  password: string | null;
}

/** @param rest path and query; `__system` is MongoDB's built-in user for holders of the key file, so that no user has to be created */
export const uriOf = ({ port, password }: MongodAddress, rest: string): string =>
  password
    ? `mongodb://__system:${password}@127.0.0.1:${port}${rest}&authSource=local`
    : `mongodb://127.0.0.1:${port}${rest}`;

/** @throws when no MongoDB answers on the port within two seconds */
export async function withMongoClient<Result>(
  address: MongodAddress,
  work: (client: mongo.MongoClient) => Promise<Result>,
): Promise<Result> {
  const client = new mongo.MongoClient(uriOf(address, '/?directConnection=true'), {
    serverSelectionTimeoutMS: 2000,
    // Without it another program that accepts the connection and never answers keeps this process alive for 30 s.
    connectTimeoutMS: 2000,
  });
  try {
    return await work(await client.connect());
  } finally {
    await client.close();
  }
}
