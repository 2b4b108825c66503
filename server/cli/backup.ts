/** `backup` and `restore`: a snapshot of all documents and indexes in the file format of mongodump. */
import type { Command } from 'commander';
import { z } from 'zod';
import { checkBackup, readBackup, writeBackup } from './backup-files.ts';
import { addVerb, CommandError, type Report, verb } from './verb.ts';
import { withBareModels, withIdleModels } from './with-models.ts';

export function addBackupCommands(program: Command): void {
  addVerb(program, 'backup', {
    summary: 'Write a consistent snapshot of all documents and indexes into a new directory',
    example: 'backup backups/monday',
  })
    .argument('<directory>', 'the directory to create; it must not exist')
    .action(verb(z.object({ directory: z.string().min(1) }), backup));
  addVerb(program, 'restore', {
    summary: 'Read a directory of backup or mongodump into an empty database; stop the service first',
    example: 'restore backups/monday --drop',
  })
    .argument('<directory>', 'a directory written by backup, or that of one database in a dump of mongodump')
    .option('--drop', 'drop everything in the database first')
    .action(verb(z.object({ directory: z.string().min(1), drop: z.boolean().default(false) }), restore));
}

const backup = ({ directory }: { directory: string }) =>
  withBareModels(async (models): Promise<Report> => {
    const collections: string[] = [];
    await writeBackup(directory, (keep) =>
      models.dumpAll(async (dump) => {
        await keep(dump);
        collections.push(dump.name);
      }),
    );
    return {
      json: { directory, collections },
      text: `Wrote ${collections.length} collections to ${directory}`,
    };
  });

const restore = ({ directory, drop }: { directory: string; drop: boolean }) =>
  withIdleModels(async (models): Promise<Report> => {
    const dumps = await readBackup(directory);
    await checkBackup(dumps);
    if (drop) await models.dropAll();
    else if (!(await models.isEmpty()))
      throw new CommandError('the database is not empty (--drop empties it first)');
    let documents = 0;
    for (const dump of dumps) documents += await models.loadCollection(dump);
    const text = `Restored ${dumps.length} collections, ${documents} documents in all`;
    return { json: { documents, collections: dumps.map(({ name }) => name) }, text };
  });
