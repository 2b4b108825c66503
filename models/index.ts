/** Creates every store on one connection, with the operations on the whole database. */
import type { Connection } from 'mongoose';
import { type CollectionDump, dropAll, dumpAll, isEmpty, loadCollection } from './backup.ts';
import { Credentials } from './credentials.ts';
import { Provisioning } from './provisioning/store.ts';
import { UserAccess } from './provisioning/user-access.ts';
import { migrate, readSchema } from './schema-version.ts';
import { Sequences } from './sequence.ts';
import { createStores, type StoresOptions } from './stores.ts';
import { ensureCollections } from './support/collection.ts';
import { listIndexes } from './support/indexes.ts';

export type Models = ReturnType<typeof createModels>;

export function createModels(connection: Connection, options: StoresOptions = {}) {
  const sequences = new Sequences(connection);
  const stores = createStores(connection, sequences, options);
  const userAccess = new UserAccess(stores);
  return {
    ...stores,
    credentials: new Credentials(stores),
    userAccess,
    provisioning: new Provisioning({ ...stores, sequences, userAccess }),
    /** Brings the database to this program's schema version, or throws `SchemaError`. Call it before `ensureCollections`. */
    migrate: () => migrate(connection),
    readSchema: () => readSchema(connection),
    dumpAll: (write: (dump: CollectionDump) => Promise<void>) => dumpAll(connection, write),
    loadCollection: (dump: CollectionDump) => loadCollection(connection, dump),
    isEmpty: () => isEmpty(connection),
    dropAll: () => dropAll(connection),
    ensureCollections: () => ensureCollections(connection),
    listIndexes: () => listIndexes(connection),
  };
}
