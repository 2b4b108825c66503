/** What a change of documents consists of, and how one that cannot be made is told. */
import type { Connection } from 'mongoose';

export interface Migration {
  /** From 1, without gaps. */
  version: number;
  /** What it does, for operators. */
  name: string;
  /**
   * Changes the documents, with the driver's own calls, as the stores know today's shape only. It may be killed at any
   * point and begun again, even by two processes at once where one stood still for long, and those of the release before
   * go on reading and writing meanwhile: it looks for documents of the old shape, and leaves each of them good for both.
   * Absent where there is nothing to change.
   */
  up?(connection: Connection): Promise<void>;
}

export interface AppliedMigration extends Pick<Migration, 'version' | 'name'> {
  at: Date;
}

/** The database cannot be brought to the shape that this program knows; the message is for its operator. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
