/** `indexes`: shows the indexes the queries need and builds the missing ones. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { IndexStatus } from '../../models/support/indexes.ts';
import { table } from './table.ts';
import { addVerb, CommandError, type Report, verb } from './verb.ts';
import { withBareModels } from './with-models.ts';

export function addIndexesCommand(program: Command): void {
  addVerb(program, 'indexes', {
    summary: 'Show the indexes the queries need and whether they exist; every start builds the missing ones',
    example: 'indexes --build',
  })
    .option('--build', 'build the missing ones first; the service keeps running meanwhile')
    .action(verb(z.object({ build: z.boolean().default(false) }), indexes));
}

const indexes = ({ build }: { build: boolean }) =>
  withBareModels(async (models): Promise<Report> => {
    if (build) refuseDifferent(await models.listIndexes());
    if (build) await models.ensureIndexes();
    const rows = (await models.listIndexes()).map(present);
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

const present = ({ collection, keys, isUnique, expiresAfterSeconds, state }: IndexStatus) => ({
  collection,
  keys,
  unique: isUnique,
  expires_after_seconds: expiresAfterSeconds,
  state,
});
