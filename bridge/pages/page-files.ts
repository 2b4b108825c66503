/**
 * The files of a browser page: read from the build, or bundled on demand when run from source.
 * Not koa-static or @koa/send: those serve files from disk, and from source there are none; this is shorter than adapting them.
 */
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export type NamedContent = [name: string, content: Buffer];

/** How to obtain a page's files. */
export interface PageSource {
  /** The name of its folder in the build. */
  name: string;
  /** Bundles the sources; esbuild is a development dependency. */
  bundle: () => Promise<NamedContent[]>;
}

export interface PageFile {
  /** The file name's extension. */
  type: string;
  etag: string;
  content: Buffer;
  gzipped: Buffer;
}

const isRunFromSource = import.meta.url.endsWith('.ts');

/** Next to the bundled program, which contains this module. */
const builtPages = new URL('pages/', import.meta.url);

/** The files by name, such as "page.js". */
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
  // Weak, because it covers the plain and the compressed form.
  etag: `W/"${hash('sha256', content, 'base64url')}"`,
  content,
  gzipped: await promisify(gzip)(content),
});
