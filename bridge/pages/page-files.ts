/** The files of a page for browsers: those that the build left behind, or, run from source, bundled on the spot. */
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export type NamedContent = [name: string, content: Buffer];

/** Where a page comes from. */
export interface PageSource {
  /** What the build calls the folder of its files. */
  name: string;
  /** Makes them of their sources; the bundler is there only while building and developing. */
  bundle: () => Promise<NamedContent[]>;
}

export interface PageFile {
  /** The name's extension, which says what kind of file it is. */
  type: string;
  etag: string;
  content: Buffer;
  gzipped: Buffer;
}

const isRunFromSource = import.meta.url.endsWith('.ts');

/** Beside the program, of which this is then a part. */
const builtPages = new URL('pages/', import.meta.url);

/** By name, such as "page.js". */
export async function loadPageFiles({ name, bundle }: PageSource): Promise<Map<string, PageFile>> {
  const files = isRunFromSource ? await bundle() : await readBuilt(new URL(`${name}/`, builtPages));
  const presented = files.map(
    async ([name, content]) => [name, await presentPageFile(name, content)] as const,
  );
  return new Map(await Promise.all(presented));
}

async function readBuilt(folder: URL): Promise<NamedContent[]> {
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name): Promise<NamedContent> => [name, await readFile(new URL(name, folder))]),
  );
}

export const presentPageFile = async (name: string, content: Buffer): Promise<PageFile> => ({
  type: extname(name),
  // Weak: the same for the file as it is and for the file compressed.
  etag: `W/"${hash('sha256', content, 'base64url')}"`,
  content,
  gzipped: await promisify(gzip)(content),
});
