/**
 * All migrations in order. A released one is never edited; a later one corrects it.
 * The program reads both shapes before a migration writes the new one, and drops the old one a release later.
 */
import { addProvisioning } from './add-provisioning.ts';
import type { Migration } from './migration.ts';
import { setLastReplyBy } from './set-last-reply-by.ts';

export const migrations: readonly Migration[] = [
  { version: 1, name: 'The first shape' },
  { version: 2, name: 'Tickets know who replied last', up: setLastReplyBy },
  { version: 3, name: 'Users can be provisioned and suspended', up: addProvisioning },
];
