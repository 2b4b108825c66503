/** The files of a server of the tests' panel, including kinds that the demo panel does not have. */
import * as demo from '../../../server/panel/demo/file-tree.ts';

export interface EmulatedFile extends demo.StoredFile {
  /** A link leads out of the server; it is listed, and never followed. Opening a pipe waits for its other end. */
  kind?: 'link' | 'pipe';
  /** The size of a link, or of a file too large to keep here, whose content is all zeros. */
  size?: number;
}

export class FileTree extends demo.FileTree {
  /** The paths that the server's egg protects from changes. */
  denied: RegExp | null = null;

  override get(path: string): EmulatedFile | undefined {
    return super.get(path);
  }

  override list(directory: string): [name: string, file: EmulatedFile][] {
    return super.list(directory);
  }

  /** @param size the length of its target */
  link(path: string, modifiedAt: number, size = 0): void {
    this.#addSpecial(path, { modifiedAt, kind: 'link', size });
  }

  pipe(path: string, modifiedAt: number): void {
    this.#addSpecial(path, { modifiedAt, kind: 'pipe' });
  }

  /** Adds a file of zeros without storing them. */
  writeZeros(path: string, size: number, modifiedAt: number): void {
    this.#addSpecial(path, { modifiedAt, size });
  }

  /** Adds a file whose text is created at each read. */
  writeChanging(path: string, text: () => string): void {
    this.write(path, '', 0);
    this.entries.set(path, {
      get content() {
        return Buffer.from(text());
      },
      modifiedAt: 0,
    });
  }

  #addSpecial(path: string, file: Omit<EmulatedFile, 'content'>): void {
    this.write(path, '', file.modifiedAt);
    this.entries.set(path, { content: Buffer.alloc(0), ...file });
  }

  isDenied(path: string): boolean {
    return this.denied?.test(path) ?? false;
  }

  isBelowFile(path: string): boolean {
    for (let parent = demo.parentOf(path); parent !== '/'; parent = demo.parentOf(parent)) {
      const entry = this.entries.get(parent);
      if (entry && entry.content !== null) return true;
    }
    return false;
  }
}
