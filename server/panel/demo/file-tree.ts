/** The files of one emulated server: a tree below its root, as a node keeps it. */

export interface EmulatedFile {
  /** Null: a directory. */
  content: Buffer | null;
  modifiedAt: number;
  /** A link leads out of the server; it is listed, and never followed. What opens a pipe waits for its other end. */
  kind?: 'link' | 'pipe';
  /** Of a link, and of what is too large to be kept here: its content is all zeros. */
  size?: number;
}

/** Paths from the root, such as `/config/server.yml`, with their texts; a function's is made when it is read. */
export type InitialFiles = Record<string, string | (() => string)>;

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';

export class FileTree {
  /** The paths that the server's egg lets nobody change. */
  denied: RegExp | null = null;

  readonly #entries = new Map<string, EmulatedFile>();

  constructor(files: InitialFiles = {}, modifiedAt = 0) {
    this.#entries.set('/', { content: null, modifiedAt });
    for (const [path, text] of Object.entries(files)) this.write(path, text, modifiedAt);
  }

  get(path: string): EmulatedFile | undefined {
    return this.#entries.get(path);
  }

  /** The names in a directory with what they name. */
  list(directory: string): [name: string, file: EmulatedFile][] {
    const prefix = directory === '/' ? '/' : `${directory}/`;
    return [...this.#entries].flatMap(([path, file]): [string, EmulatedFile][] =>
      path !== '/' && parentOf(path) === directory ? [[path.slice(prefix.length), file]] : [],
    );
  }

  /** Directories above it that are missing are made. */
  write(path: string, content: string | Buffer | (() => string), modifiedAt: number): void {
    this.makeDirectory(parentOf(path), modifiedAt);
    if (typeof content !== 'function')
      return void this.#entries.set(path, { content: Buffer.from(content), modifiedAt });
    this.#entries.set(path, {
      get content() {
        return Buffer.from(content());
      },
      modifiedAt,
    });
  }

  makeDirectory(path: string, modifiedAt: number): void {
    if (this.#entries.has(path)) return;
    this.makeDirectory(parentOf(path), modifiedAt);
    this.#entries.set(path, { content: null, modifiedAt });
  }

  /** @param size the length of where it leads */
  link(path: string, modifiedAt: number, size = 0): void {
    this.#addSpecial(path, { modifiedAt, kind: 'link', size });
  }

  pipe(path: string, modifiedAt: number): void {
    this.#addSpecial(path, { modifiedAt, kind: 'pipe' });
  }

  /** A file of so many zeros, none of which is kept. */
  writeZeros(path: string, size: number, modifiedAt: number): void {
    this.#addSpecial(path, { modifiedAt, size });
  }

  #addSpecial(path: string, file: Omit<EmulatedFile, 'content'>): void {
    this.makeDirectory(parentOf(path), file.modifiedAt);
    this.#entries.set(path, { content: Buffer.alloc(0), ...file });
  }

  isDenied(path: string): boolean {
    return this.denied?.test(path) ?? false;
  }

  /** With all below it. */
  move(from: string, to: string, modifiedAt: number): void {
    this.makeDirectory(parentOf(to), modifiedAt);
    for (const [path, file] of [...this.#entries]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.#entries.delete(path);
      this.#entries.set(`${to}${path.slice(from.length)}`, file);
    }
  }

  /** Of the root, all that is in it. */
  delete(path: string): void {
    const below = path === '/' ? '/' : `${path}/`;
    for (const other of [...this.#entries.keys()])
      if (other !== '/' && (other === path || other.startsWith(below))) this.#entries.delete(other);
  }

  /** Whether a path leads through what is no directory. */
  isBelowFile(path: string): boolean {
    for (let parent = parentOf(path); parent !== '/'; parent = parentOf(parent)) {
      const entry = this.#entries.get(parent);
      if (entry && entry.content !== null) return true;
    }
    return false;
  }
}
