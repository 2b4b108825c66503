/** The last step of `npm run build`, after tsc has judged the types: leaves in dist/server/ what npm start and npm run cli run. */
import { rm } from 'node:fs/promises';
import { writePages } from './pages.ts';
import { writePrograms } from './programs.ts';

const folder = new URL('../../dist/server/', import.meta.url);

await rm(folder, { recursive: true, force: true });
await writePages(new URL('pages/', folder));
// Last: no program is without its pages.
await writePrograms(folder);
