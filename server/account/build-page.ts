/** The last step of `npm run build`: leaves the account page's files where the compiled service looks for them. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { bundlePage } from './bundle-page.ts';

const folder = new URL('../../dist/server/account/page/', import.meta.url);

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [name, content] of await bundlePage()) await writeFile(new URL(name, folder), content);
