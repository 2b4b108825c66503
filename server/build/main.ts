/**
 * The last step of `npm run build`, after tsc has checked the types. Writes the programs of npm start and npm run cli to
 * dist/server/, and the client to dist/client/.
 */
import { rm } from 'node:fs/promises';
import { writeClient } from './client.ts';
import { writePages, writePrograms } from './programs.ts';
import { writeTrpcTypes } from './types.ts';

const dist = new URL('../../dist/', import.meta.url);
const folder = new URL('server/', dist);
const client = new URL('client/', dist);

await rm(folder, { recursive: true, force: true });
await rm(client, { recursive: true, force: true });
await writeClient(client);
await writeTrpcTypes(dist);
await writePages(new URL('pages/', folder));
// Last, so that no program is without its pages.
await writePrograms(folder);
