/**
 * A process of its own that migrates the database it is given, for tests that end it. Says each user it changes, then
 * waits for a line on its standard input, where `wait` is its second argument; without it, it runs through.
 */
import { once } from 'node:events';
import { createModels } from '../../models/index.ts';
import { connectMongoose } from '../../server/database.ts';
import { createGreetings } from './greetings.ts';

const [uri = '', pace] = process.argv.slice(2);
const connection = await connectMongoose(uri);
const onChange = async (id: number) => {
  process.stdout.write(`changed ${id}\n`);
  if (pace === 'wait') await once(process.stdin, 'data');
};
await createModels(connection).migrate({ migrations: createGreetings(onChange), leaseMs: 1000 });
await connection.close();
process.stdin.destroy();
