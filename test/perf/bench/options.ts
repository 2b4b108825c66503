/** What the command line of the benchmark takes. */
import { Command, InvalidArgumentError } from 'commander';
import { positiveNumber } from '../../support/positive-number.ts';
import { contenders } from './contenders.ts';
import { parts } from './parts.ts';
import { works } from './works.ts';

export interface Options {
  rounds: number;
  seconds: number;
  processes: number;
  warmUp: number;
  keys: number;
  connections: number;
  parts: string[];
  quick?: boolean;
  only?: string[];
  against?: string[];
  million?: boolean;
  fromSource?: boolean;
  before?: string;
  beforeNode?: string;
  profile?: string;
  out?: string;
}

const allParts = Object.keys(parts);

export const readOptions = (args: string[]): Options =>
  new Command('npm run bench --')
    .description('Measures the service beside its peers, on this machine and a MongoDB of its own.')
    .option('--rounds <count>', 'how often each contender has its turn', positiveNumber, 5)
    .option('--seconds <count>', 'how long a turn is', positiveNumber, 3)
    .option('--processes <count>', 'how many of each near contender share its turn', positiveNumber, 2)
    .option('--warm-up <calls>', 'calls to each process before the first round', positiveNumber, 10_000)
    .option('--keys <count>', 'distinct keys in play', positiveNumber, 1000)
    .option('--connections <count>', 'connections of the part "many"', positiveNumber, 32)
    .option('--quick', '2 rounds of 1 second after 2000 calls: a first look')
    .option('--only <works>', 'these works, such as me,tickets,create', listOf(namesOf(works)))
    .option('--against <names>', 'these beside ours, such as fastify,mcp-sdk', listOf(namesOf(contenders)))
    .option('--parts <parts>', 'these parts', listOf(allParts), allParts)
    .option('--million', 'let the database grow by a million, too')
    .option('--from-source', 'our service through tsx from its sources, not from dist/')
    .option('--before <dir>', 'ours beside the build in this checkout, in place of the peers')
    .option('--before-node <file>', 'the Node.js of that build, to compare two')
    .option('--profile <dir>', 'CPU profiles of the servers, written there when they stop')
    .option('--out <file>', 'where the results go; test/perf/bench/RESULTS.md for parts in full')
    .parse(args)
    .opts<Options>();

/** Whether parts leave nothing out. */
export const isInFull = ({ quick, fromSource, before, profile, only, against }: Options): boolean =>
  ![quick, fromSource, before, profile, only, against].some(Boolean);

const namesOf = (all: { name: string }[]) => all.map(({ name }) => name);

/** Names with commas between them; a mistyped one would measure nothing without a word. */
const listOf =
  (known: string[]) =>
  (value: string): string[] => {
    const names = value.split(',').filter(Boolean);
    if (names.length > 0 && names.every((name) => known.includes(name))) return names;
    throw new InvalidArgumentError(`It takes names of these, with commas between: ${known.join(', ')}.`);
  };
