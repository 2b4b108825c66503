/** The file to fetch in the OpenAPI examples, and the server that gets it. */
import { hash } from 'node:crypto';
import { panelServer } from './panel/attributes.ts';
import type { FileTree } from './panel/file-tree.ts';

export const id = 'a1b2c3d4';
export const server = panelServer({ identifier: id });
export const url = 'https://cdn.modrinth.com/data/RaidTimer/versions/2.1.0/RaidTimer-2.1.0.jar';
export const content = 'a newer plugin';
export const sha256 = hash('sha256', content, 'hex');
/** No file has this name yet. */
export const file = '/plugins/New.jar';
/** An existing file of the server. */
export const old = '/plugins/RaidTimer.jar';

/** Fetches the file from any address. */
export function pullExample(tree: FileTree, path: string): null {
  tree.write(path, content, 0);
  return null;
}
