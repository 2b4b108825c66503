/** The last step of `npm run build`: leaves the pages' files where the compiled service looks for them. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { pageSources } from './pages.ts';

const root = new URL('../', import.meta.url);
const dist = new URL('dist/', root);

for (const { folder, bundle } of pageSources) {
  const built = new URL(folder.href.slice(root.href.length), dist);
  await rm(built, { recursive: true, force: true });
  await mkdir(built, { recursive: true });
  for (const [name, content] of await bundle()) await writeFile(new URL(name, built), content);
}
