/**
 * Leases of files: of several writers to one file of a server, over all processes, one writes at a time. The lease of a writer
 * who does not give it back ends by itself, by the clock of the database, as those of processes differ.
 */
import { hash, randomUUID } from 'node:crypto';
import { type Connection, type mongo, Schema } from 'mongoose';
import { isDuplicateKey } from './support/writes.ts';

interface FileLeaseRecord {
  /** A hash of the server and the path, which may be long. */
  _id: string;
  holder: string;
  until: Date;
}

/** Longer than the longest write: a look of 7 seconds, a turn of 3, and a call of 20. */
const leaseMs = 45_000;

const fileLeaseSchema = new Schema<FileLeaseRecord>({
  _id: { type: String, required: true },
  holder: { type: String, required: true },
  until: { type: Date, required: true, expires: 0 },
});

export type FileLease = Pick<FileLeaseRecord, '_id' | 'holder'>;

export class FileLeases {
  readonly #collection: mongo.Collection<FileLeaseRecord>;

  constructor(connection: Connection) {
    connection.model('FileLease', fileLeaseSchema, 'file_leases');
    this.#collection = connection.collection('file_leases');
  }

  /** Null while another writer has it. */
  async take(server: string, path: string): Promise<FileLease | null> {
    const _id = hash('sha256', JSON.stringify([server, path]), 'hex');
    const holder = randomUUID();
    const lease = [{ $set: { holder, until: { $add: ['$$NOW', leaseMs] } } }];
    try {
      // No lease has a new holder, so this is an insert, which fails where there is one.
      await this.#collection.updateOne({ _id, holder }, lease, { upsert: true });
      return { _id, holder };
    } catch (failure) {
      if (!isDuplicateKey(failure)) throw failure;
    }
    const isOver = { $expr: { $lte: ['$until', '$$NOW'] } };
    const { modifiedCount } = await this.#collection.updateOne({ _id, ...isOver }, lease);
    return modifiedCount === 1 ? { _id, holder } : null;
  }

  async release({ _id, holder }: FileLease): Promise<void> {
    await this.#collection.deleteOne({ _id, holder });
  }
}
