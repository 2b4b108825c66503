/** The files of one server: a tree below its root, as a node stores it. */

export interface StoredFile {
  /** Null: a directory. */
  content: Buffer | null;
  modifiedAt: number;
}

export const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';

export class FileTree {
  protected readonly entries = new Map<string, StoredFile>();

  constructor(files: Record<string, string> = {}, modifiedAt = 0) {
    this.entries.set('/', { content: null, modifiedAt });
    for (const [path, text] of Object.entries(files)) this.write(path, text, modifiedAt);
  }

  get(path: string): StoredFile | undefined {
    return this.entries.get(path);
  }

  list(directory: string): [name: string, file: StoredFile][] {
    const prefix = directory === '/' ? '/' : `${directory}/`;
    return [...this.entries].flatMap(([path, file]): [string, StoredFile][] =>
      path !== '/' && parentOf(path) === directory ? [[path.slice(prefix.length), file]] : [],
    );
  }

  write(path: string, content: string | Buffer, modifiedAt: number): void {
    this.makeDirectory(parentOf(path), modifiedAt);
    this.entries.set(path, { content: Buffer.from(content as string), modifiedAt });
  }

  makeDirectory(path: string, modifiedAt: number): void {
    if (this.entries.has(path)) return;
    this.makeDirectory(parentOf(path), modifiedAt);
    this.entries.set(path, { content: null, modifiedAt });
  }

  move(from: string, to: string, modifiedAt: number): void {
    if (!this.entries.has(from)) return;
    this.makeDirectory(parentOf(to), modifiedAt);
    for (const [path, file] of [...this.entries]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.entries.delete(path);
      this.entries.set(`${to}${path.slice(from.length)}`, file);
    }
  }

  delete(path: string): void {
    const below = path === '/' ? '/' : `${path}/`;
    for (const other of [...this.entries.keys()])
      if (other !== '/' && (other === path || other.startsWith(below))) this.entries.delete(other);
  }
}
