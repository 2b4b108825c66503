/**
 * Leases of files: of several writers to one file of a server, over all processes, one writes at a time. The lease of a writer
 * who does not give it back ends by itself.
 */
import { hash, randomUUID } from 'node:crypto';
import { type Connection, Schema } from 'mongoose';
import { isDuplicateKey } from './support/writes.ts';

interface FileLeaseRecord {
  /** A hash of the server and the path, which may be long. */
  _id: string;
  holder: string;
  until: Date;
}

/** Longer than the longest write: a look of 7 seconds, a turn of 3, and a call of 20. */
const fileLeaseMs = 45_000;

const fileLeaseSchema = new Schema<FileLeaseRecord>({
  _id: { type: String, required: true },
  holder: { type: String, required: true },
  until: { type: Date, required: true, expires: 0 },
});

export type FileLease = Pick<FileLeaseRecord, '_id' | 'holder'>;

export class FileLeases {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('FileLease', fileLeaseSchema, 'file_leases');
  }

  /** Null while another writer has it. */
  async take(server: string, path: string, now: Date): Promise<FileLease | null> {
    const _id = hash('sha256', JSON.stringify([server, path]), 'hex');
    const lease = { holder: randomUUID(), until: new Date(now.getTime() + fileLeaseMs) };
    try {
      // The filter misses a lease in force, so the upsert becomes an insert and fails on its _id.
      await this.#model.updateOne({ _id, until: { $lte: now } }, { $set: lease }, { upsert: true });
      return { _id, holder: lease.holder };
    } catch (failure) {
      if (isDuplicateKey(failure)) return null;
      throw failure;
    }
  }

  async release({ _id, holder }: FileLease): Promise<void> {
    await this.#model.deleteOne({ _id, holder });
  }
}
