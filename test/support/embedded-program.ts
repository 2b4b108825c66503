/** A child process with an embedded database, for tests that kill it: prints the URI, stops cleanly on request. */
import { openDatabase } from '../../server/database.ts';
import { mongodCacheDir } from './mongo.ts';

const database = await openDatabase({
  dataDir: process.argv[2] ?? '',
  mongodSystemBinary: process.env['MONGOMS_SYSTEM_BINARY'],
  cacheDir: mongodCacheDir,
  reportProgress: () => {},
});
process.stdout.write(`${database.uri}\n`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void database.stop());
