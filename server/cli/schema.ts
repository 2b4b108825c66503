/** `schema` and `indexes`: what the database has and what it lacks. */
import { z } from 'zod';
import type { SchemaStatus } from '../../models/migrations/migrate.ts';
import type { IndexStatus } from '../../models/support/indexes.ts';
import {
  addVerb,
  type CliCommand,
  CommandError,
  type Io,
  type Report,
  sayTo,
  table,
  verb,
  withBareModels,
} from './command.ts';

export function addSchemaCommand(program: CliCommand): void {
  addVerb(program, 'schema', {
    summary: 'Show the schema version and the pending migrations; every start applies them',
    example: 'schema --migrate',
  })
    .option('--migrate', 'apply the pending migrations first; the service keeps running meanwhile')
    .action(verb(z.object({ migrate: z.boolean().default(false) }), schema));
}

const schema = ({ migrate }: { migrate: boolean }, io: Io) =>
  withBareModels(io, async (models): Promise<Report> => {
    if (migrate) await models.migrate({ onProgress: sayTo(io) });
    return presentSchema(await models.readSchema());
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

export function addIndexesCommand(program: CliCommand): void {
  addVerb(program, 'indexes', {
    summary: 'Show the indexes the queries need and whether they exist; every start builds the missing ones',
    example: 'indexes --build',
  })
    .option('--build', 'build the missing ones first; the service keeps running meanwhile')
    .action(verb(z.object({ build: z.boolean().default(false) }), indexes));
}

const indexes = ({ build }: { build: boolean }, io: Io) =>
  withBareModels(io, async (models): Promise<Report> => {
    if (build) refuseDifferent(await models.listIndexes());
    if (build) await models.ensureIndexes();
    const rows = (await models.listIndexes()).map(presentIndex);
    const columns = ['collection', 'keys', 'unique', 'expires_after_seconds', 'state'] as const;
    const shown = rows.map((row) => ({ ...row, keys: JSON.stringify(row.keys) }));
    return { json: rows, text: table(shown, columns, 'No indexes.') };
  });

/** MongoDB cannot build an index beside one with the same keys, and dropping one is the operator's decision. */
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
