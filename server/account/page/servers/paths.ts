/** Paths of a server's files, from its root, and the addresses at which the page shows them. */
import { serverAddress } from '../route.ts';

export const joinPath = (directory: string, name: string) =>
  directory === '/' ? `/${name}` : `${directory}/${name}`;

export const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';

export const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** The path and all directories above it, root first. */
export function pathsTo(path: string): string[] {
  return path === '/' ? ['/'] : [...pathsTo(parentOf(path)), path];
}

export const draftOf = (identifier: string, file: string) => `file:${identifier}:${file}`;

export const addressOfDirectory = (identifier: string, directory: string) =>
  serverAddress(identifier, { partName: 'files', ...(directory !== '/' && { query: { directory } }) });

export const addressOfFile = (identifier: string, file: string) =>
  serverAddress(identifier, { partName: 'files', query: { file } });
