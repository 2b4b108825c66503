/** The files of the account page: those that the build left beside this one, or, run from source, bundled on the spot. */
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';

export interface PageFile {
  type: string;
  etag: string;
  content: Buffer;
}

/** By name, such as "page.js". */
export async function loadPageFiles(): Promise<Map<string, PageFile>> {
  const files = import.meta.url.endsWith('.ts') ? await bundle() : await readBuilt();
  return new Map(files.map(([name, content]) => [name, present(name, content)]));
}

type NamedContent = [name: string, content: Buffer];

/** The bundler is there only while developing. */
async function bundle(): Promise<NamedContent[]> {
  const { bundlePage } = await import('./bundle-page.ts');
  return bundlePage();
}

async function readBuilt(): Promise<NamedContent[]> {
  const folder = new URL('page/', import.meta.url);
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name): Promise<NamedContent> => [name, await readFile(new URL(name, folder))]),
  );
}

const present = (name: string, content: Buffer): PageFile => ({
  type: extname(name),
  etag: `"${hash('sha256', content, 'base64url')}"`,
  content,
});
