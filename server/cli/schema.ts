/** `schema` and `indexes`: the migrations and indexes that the database has, and those that it lacks. */
import { z } from 'zod';
import type { SchemaStatus } from '../../models/schema-version.ts';
import type { IndexStatus } from '../../models/support/indexes.ts';
import { withBareModels } from './access.ts';
import { command, list, type Report } from './command.ts';
import { Flag } from './option.ts';
import { CommandError, table } from './print.ts';

export const schema = command({
  summary: 'Show the schema version and the pending migrations; every start applies them',
  example: 'schema --migrate',
  options: z.object({
    migrate: Flag.describe('apply the pending migrations first; the service keeps running meanwhile'),
  }),
  access: withBareModels,
  async run(models, { migrate }) {
    if (migrate) await models.migrate();
    return presentSchema(await models.readSchema());
  },
});

function presentSchema({ version, applied, pending }: SchemaStatus): Report {
  const rows = [
    ...applied.map(({ version, name, at }) => ({ version, name, applied_at: at.toISOString() })),
    ...pending.map(({ version, name }) => ({ version, name, applied_at: null })),
  ];
  const migrations = table(rows, ['version', 'name', 'applied_at'], 'No migrations.');
  const text = `Schema version ${version}, ${pending.length} pending\n\n${migrations}`;
  return { json: { version, migrations: rows }, text };
}

export const indexes = list({
  summary: 'Show the indexes that queries need, and whether they exist; every start builds the missing ones',
  example: 'indexes --build',
  options: z.object({
    build: Flag.describe('build the missing ones first; the service keeps running meanwhile'),
  }),
  access: withBareModels,
  async run(models, { build }) {
    if (build) refuseDifferent(await models.listIndexes());
    if (build) await models.ensureCollections();
    return (await models.listIndexes()).map(presentIndex);
  },
  columns: [
    'collection',
    ['keys', ({ keys }) => JSON.stringify(keys)],
    'unique',
    'expires_after_seconds',
    'state',
  ],
  empty: 'No indexes.',
});

/** MongoDB cannot build an index next to one with the same keys, and only the operator may decide to drop one. */
function refuseDifferent(list: readonly IndexStatus[]): void {
  const different = list.filter(({ state }) => state === 'different');
  if (different.length === 0) return;
  const names = different.map(({ collection, keys }) => `${collection} ${JSON.stringify(keys)}`);
  throw new CommandError(`different indexes exist, drop them first: ${names.join(', ')}`);
}

const presentIndex = ({ collection, keys, isUnique, expiresAfterSeconds, state }: IndexStatus) => ({
  collection,
  keys,
  unique: isUnique,
  expires_after_seconds: expiresAfterSeconds,
  state,
});
