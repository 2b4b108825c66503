/**
 * The last step of `npm run build`, after tsc has checked the types. Writes the programs of npm start and npm run cli to
 * dist/server/, the package for front ends to dist/types/, and the client to dist/client/.
 */
import { readFile, rm } from 'node:fs/promises';
import { writeClient } from './client.ts';
import { writePages, writePrograms } from './programs.ts';
import { writeTypes } from './types.ts';

const dist = new URL('../../dist/', import.meta.url);
const folder = new URL('server/', dist);
const types = new URL('types/', dist);
const client = new URL('client/', dist);

await rm(folder, { recursive: true, force: true });
await rm(types, { recursive: true, force: true });
await rm(client, { recursive: true, force: true });
await writeTypes(types, await readFile(new URL('routers/index.d.ts', dist), 'utf8'));
await writeClient(client);
await writePages(new URL('pages/', folder));
// Last, so that no program is without its pages.
await writePrograms(folder);
