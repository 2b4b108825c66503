/** What the command line of the soak takes. */
import { Command, InvalidArgumentError } from 'commander';

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
    .description(
      'Lets customers of all three tongues call at a steady rate, and watches the process meanwhile.',
    )
    .option('--minutes <count>', 'how long', count, 5)
    .option('--rate <count>', 'requests a second', count, 200)
    .option('--keys <count>', 'customers that read, and as many that write, with a key each', count, 300)
    .option('--every <seconds>', 'how often figures are shown', count, 30)
    .option('--growth <megabytes>', 'what memory may grow by in the second half', count, 12)
    .option('--from-source', 'the service through tsx from its sources, not from dist/')
    .parse(args)
    .opts<Options>();

function count(value: string): number {
  if (!(Number(value) > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return Number(value);
}
