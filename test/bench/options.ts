/** What the command line of the benchmark takes. */
import { Command, InvalidArgumentError } from 'commander';

export interface Options {
  rounds: number;
  seconds: number;
  warmUp: number;
  keys: number;
  connections: number;
  quick?: boolean;
  only?: string[];
  against?: string[];
  parts: string[];
  million?: boolean;
  out?: string;
}

const parts = ['many', 'one', 'growth', 'start'];

const list = (value: string) => value.split(',').filter(Boolean);

function count(value: string): number {
  if (!(Number(value) > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return Number(value);
}

export function readOptions(args: string[]): Options {
  return new Command('npm run bench --')
    .description('Measures the service beside its peers, on this machine and a MongoDB of its own.')
    .option('--rounds <count>', 'how often each contender has its turn', count, 5)
    .option('--seconds <count>', 'how long a turn is', count, 3)
    .option('--warm-up <calls>', 'calls to each contender before the first round', count, 5000)
    .option('--keys <count>', 'distinct keys in play', count, 1000)
    .option('--connections <count>', 'connections of the part "many"', count, 32)
    .option('--quick', '2 rounds of 1 second after 2000 calls: a first look')
    .option('--only <works>', 'these works, such as me,tickets,create', list)
    .option('--against <contenders>', 'these contenders beside ours, such as fastify,floor', list)
    .option('--parts <parts>', `of ${parts.join(', ')}`, list, parts)
    .option('--million', 'let the database grow by a million, too')
    .option('--out <file>', 'where the results go; a whole run writes test/bench/RESULTS.md')
    .parse(args)
    .opts<Options>();
}
