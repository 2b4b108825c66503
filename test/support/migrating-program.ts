/**
 * A process of its own that migrates the database it is given, for tests that end it. Says each user it changes, then
 * waits for a line on its standard input.
 */
import { once } from 'node:events';
import { createModels } from '../../models/index.ts';
import { connectMongoose } from '../../server/database.ts';
import { createGreetings } from './greetings.ts';

const [uri = ''] = process.argv.slice(2);
const connection = await connectMongoose(uri);
const onChange = async (id: number) => {
  process.stdout.write(`changed ${id}\n`);
  await once(process.stdin, 'data');
};
await createModels(connection).migrate({ migrations: createGreetings(onChange) });
await connection.close();
process.stdin.destroy();
