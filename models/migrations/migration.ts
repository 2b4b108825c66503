/** The shape of a migration, and the error for a database that cannot be migrated. */
import type { Connection } from 'mongoose';

export interface Migration {
  /** From 1, without gaps. */
  version: number;
  /** What it changes, for operators. */
  name: string;
  /**
   * Changes documents with driver calls, because the stores only know today's shape. It may be killed at any point and
   * run again, even in two processes at once if one stalled, while the previous release reads and writes: it selects
   * documents of the old shape and leaves each valid for both releases. Absent when no document changes.
   */
  up?(connection: Connection): Promise<void>;
}

export interface AppliedMigration extends Pick<Migration, 'version' | 'name'> {
  at: Date;
}

/** The database cannot be migrated to this program's schema version; the message is for the operator. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
