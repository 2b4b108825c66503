/** MongoDB's own profile of every call: its plan, the documents examined, and the write concern. */
import type { Connection } from 'mongoose';

export interface ProfiledCall {
  /** As MongoDB names it: query, getmore, insert, update, remove, command. */
  op: string;
  ns: string;
  command: {
    $readPreference?: { mode: string };
    readConcern?: { level: string };
    /** Set inside a transaction, whose end has the write concern of all its writes. */
    autocommit?: boolean;
    /** The collection of an aggregation. */
    aggregate?: string;
    filter?: Record<string, unknown>;
  };
  planSummary?: string;
  docsExamined?: number;
  keysExamined?: number;
  /** Whether MongoDB sorted all results before it could return the first. */
  hasSortStage?: boolean;
  nreturned?: number;
  /** Present on writes. */
  nModified?: number;
  ndeleted?: number;
  writeConcern?: { w: unknown; j?: boolean };
}

const notesBytesMax = 64 * 1024 * 1024;

/** Records every call of the database while `act` runs. */
export async function profile(connection: Connection, act: () => Promise<void>): Promise<ProfiledCall[]> {
  const { db } = connection;
  if (!db) throw new Error('the connection is not open');
  await db.createCollection('system.profile', { capped: true, size: notesBytesMax });
  await db.command({ profile: 2 });
  await act();
  await db.command({ profile: 0 });
  const calls = await db.collection<ProfiledCall>('system.profile').find().toArray();
  await db.dropCollection('system.profile');
  return calls.filter(({ ns }) => !ns.endsWith('.system.profile'));
}

/** Describes a call for a failed test. */
export const describeCall = ({ ns, command, planSummary, docsExamined, nreturned }: ProfiledCall) =>
  JSON.stringify({ ns, command, planSummary, docsExamined, nreturned });
