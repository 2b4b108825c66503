/** Bundles the pages for browsers, each into a folder of its name. */
import { mkdir, writeFile } from 'node:fs/promises';
import { docsSource } from '../../bridge/docs/page-source.ts';
import { accountSource } from '../account/page-source.ts';

export const pageSources = [docsSource, accountSource];

export async function writePages(folder: URL): Promise<void> {
  for (const { name, bundle } of pageSources) {
    const page = new URL(`${name}/`, folder);
    await mkdir(page, { recursive: true });
    for (const [file, content] of await bundle()) await writeFile(new URL(file, page), content);
  }
}
