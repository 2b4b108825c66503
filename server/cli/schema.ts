/** `schema`: shows the schema version of the database and its pending migrations, and applies them. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { SchemaStatus } from '../../models/migrations/migrate.ts';
import { table } from './table.ts';
import { addVerb, type Report, verb } from './verb.ts';
import { say, withBareModels } from './with-models.ts';

export function addSchemaCommand(program: Command): void {
  addVerb(program, 'schema', {
    summary: 'Show the schema version and the pending migrations; every start applies them',
    example: 'schema --migrate',
  })
    .option('--migrate', 'apply the pending migrations first; the service keeps running meanwhile')
    .action(verb(z.object({ migrate: z.boolean().default(false) }), schema));
}

const schema = ({ migrate }: { migrate: boolean }) =>
  withBareModels(async (models): Promise<Report> => {
    if (migrate) await models.migrate({ onProgress: say });
    return present(await models.readSchema());
  });

function present({ version, applied, pending }: SchemaStatus): Report {
  const rows = [
    ...applied.map(({ version, name, at }) => ({ version, name, applied_at: at.toISOString() })),
    ...pending.map(({ version, name }) => ({ version, name, applied_at: null })),
  ];
  const migrations = table(rows, ['version', 'name', 'applied_at'], 'No migrations.');
  const text = `Schema version ${version}, ${pending.length} pending\n\n${migrations}`;
  return { json: { version, migrations: rows }, text };
}
