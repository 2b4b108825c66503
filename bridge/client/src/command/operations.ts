/** A group of commands for each tag of the description, with a command for each operation. */
import type { Command } from 'commander';
import { readOperations } from '../operations.ts';
import { send } from '../send.ts';
import { UsageError } from './failures.ts';
import type { Host } from './host.ts';

export async function addOperations(program: Command, host: Host | null): Promise<void> {
  if (!host) return;
  const operations = readOperations(await host.readDescription());
  for (const name of new Set(operations.map(({ group }) => group))) {
    const group = program.command(name.toLowerCase());
    for (const operation of operations.filter((one) => one.group === name))
      group
        .command(operation.name)
        .description(operation.described.summary)
        .action(async () => {
          if (operation.described['x-destructive']) throw new UsageError('Add --yes');
          const output = await send(host.connection, { operation });
          process.stdout.write(`${JSON.stringify(output)}\n`);
        });
  }
}
