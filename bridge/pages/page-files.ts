/** The files of a page for browsers: those that the build left behind, or, run from source, bundled on the spot. */
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export type NamedContent = [name: string, content: Buffer];

/** Where a page comes from. */
export interface PageSource {
  /** Where the build leaves its files. */
  folder: URL;
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

/** Whether the build left anything to serve; whoever runs from source needs nothing of it. */
export async function hasPageFiles({ folder }: PageSource): Promise<boolean> {
  if (isRunFromSource) return true;
  const names = await readdir(folder).catch(() => []);
  return names.length > 0;
}

/** By name, such as "page.js". */
export async function loadPageFiles({ folder, bundle }: PageSource): Promise<Map<string, PageFile>> {
  const files = isRunFromSource ? await bundle() : await readBuilt(folder);
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
