/** Every store of the service on one connection. */
import type { Connection } from 'mongoose';
import { Announcements } from './announcement.ts';
import { ApiKeyQuota } from './api-key/quota.ts';
import { ApiKeys } from './api-key/store.ts';
import { AuditEntries } from './audit-entry.ts';
import { type CollectionDump, dumpAll } from './backup/dump.ts';
import { dropAll, isEmpty, loadCollection } from './backup/load.ts';
import { Games } from './game.ts';
import { IdempotencyRecords } from './idempotency-record.ts';
import { Identities } from './identity.ts';
import { type MigrateOptions, migrate, readSchema } from './migrations/migrate.ts';
import { createOAuthStores } from './oauth/stores.ts';
import { Provisioning } from './provisioning/store.ts';
import { Sequences } from './sequence.ts';
import { Sessions } from './session.ts';
import { SignInLinks } from './sign-in-link.ts';
import { Subscriptions } from './subscription.ts';
import { buildIndexes, listIndexes } from './support/indexes.ts';
import { Tickets } from './ticket/store.ts';
import { Users } from './user.ts';

export type Models = ReturnType<typeof createModels>;

export function createModels(connection: Connection) {
  const sequences = new Sequences(connection);
  const apiKeys = new ApiKeys(connection);
  const users = new Users(connection, sequences);
  const apiKeyQuota = new ApiKeyQuota(connection, apiKeys);
  const oauth = createOAuthStores(connection, apiKeyQuota);
  const sessions = new Sessions(connection, users);
  const subscriptions = new Subscriptions(connection);
  const provisioned = { connection, sequences, apiKeys, apiKeyQuota, sessions, subscriptions, ...oauth };
  return {
    announcements: new Announcements(connection, sequences),
    apiKeys,
    auditEntries: new AuditEntries(connection),
    games: new Games(connection),
    identities: new Identities(connection),
    idempotencyRecords: new IdempotencyRecords(connection),
    apiKeyQuota,
    ...oauth,
    provisioning: new Provisioning(provisioned),
    sessions,
    signInLinks: new SignInLinks(connection),
    subscriptions,
    tickets: new Tickets(connection, sequences),
    users,
    /** Runs pending migrations. Call it before `ensureIndexes`, which may depend on them. */
    migrate: (options?: MigrateOptions) => migrate(connection, options),
    /** The schema version and the pending migrations. */
    readSchema: () => readSchema(connection),
    /** Dumps all collections from one snapshot. */
    dumpAll: (write: (dump: CollectionDump) => Promise<void>) => dumpAll(connection, write),
    /** Loads one collection of a dump; resolves to the number of its documents. */
    loadCollection: (dump: CollectionDump) => loadCollection(connection, dump),
    isEmpty: () => isEmpty(connection),
    dropAll: () => dropAll(connection),
    /** Builds missing indexes; fast when none is missing. */
    ensureIndexes: () => buildIndexes(connection),
    /** Expected and existing indexes. */
    listIndexes: () => listIndexes(connection),
  };
}
