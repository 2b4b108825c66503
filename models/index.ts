/** Every store of the service on one connection. */
import type { Connection } from 'mongoose';
import { Announcements } from './announcement.ts';
import { ApiKeys } from './api-key.ts';
import { AuditEntries } from './audit-entry.ts';
import { type CollectionDump, dumpAll } from './backup/dump.ts';
import { dropAll, isEmpty, loadCollection } from './backup/load.ts';
import { Games } from './game.ts';
import { IdempotencyRecords } from './idempotency-record.ts';
import { buildIndexes, listIndexes } from './indexes.ts';
import { KeyRings } from './key-ring.ts';
import { type MigrateOptions, migrate, readSchema } from './migrations/migrate.ts';
import { Sequences } from './sequence.ts';
import { Sessions } from './session.ts';
import { Subscriptions } from './subscription.ts';
import { Tickets } from './ticket.ts';
import { Users } from './user.ts';

export type Models = ReturnType<typeof createModels>;

export function createModels(connection: Connection) {
  const sequences = new Sequences(connection);
  const apiKeys = new ApiKeys(connection);
  const users = new Users(connection, sequences);
  return {
    announcements: new Announcements(connection, sequences),
    apiKeys,
    auditEntries: new AuditEntries(connection),
    games: new Games(connection),
    idempotencyRecords: new IdempotencyRecords(connection),
    keyRings: new KeyRings(connection, apiKeys),
    sessions: new Sessions(connection, users),
    subscriptions: new Subscriptions(connection),
    tickets: new Tickets(connection, sequences),
    users,
    /** Brings documents of an earlier program to the shape of this one; before the indexes, which may need it. */
    migrate: (options?: MigrateOptions) => migrate(connection, options),
    /** The documents' shape, and what there is to change. */
    readSchema: () => readSchema(connection),
    /** Everything as it is at one moment, collection by collection. */
    dumpAll: (keep: (dump: CollectionDump) => Promise<void>) => dumpAll(connection, keep),
    /** Adds a collection of such a dump; gives the number of its documents. */
    loadCollection: (dump: CollectionDump) => loadCollection(connection, dump),
    isEmpty: () => isEmpty(connection),
    dropAll: () => dropAll(connection),
    /** Builds the indexes the queries need; quick when they are there. */
    ensureIndexes: () => buildIndexes(connection),
    /** What there is of them, and what there should be. */
    listIndexes: () => listIndexes(connection),
  };
}
