/** What the command line of the soak takes. */
import { Command } from 'commander';
import { positiveNumber } from '../../support/positive-number.ts';

export interface Options {
  minutes: number;
  rate: number;
  keys: number;
  every: number;
  growth: number;
  fromSource?: boolean;
}

export const readOptions = (args: string[]): Options =>
  new Command('npm run soak --')
    .description('Calls at a steady rate over all three protocols and watches the process.')
    .option('--minutes <count>', 'how long', positiveNumber, 5)
    .option('--rate <count>', 'requests a second', positiveNumber, 200)
    .option(
      '--keys <count>',
      'customers that read, and as many that write, with a key each',
      positiveNumber,
      300,
    )
    .option('--every <seconds>', 'how often figures are shown', positiveNumber, 30)
    .option('--growth <megabytes>', 'what memory may grow by in the second half', positiveNumber, 12)
    .option('--from-source', 'the service through tsx from its sources, not from dist/')
    .parse(args)
    .opts<Options>();
