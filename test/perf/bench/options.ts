/** What the command line of the benchmark takes, and which contenders it means. */
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { works } from './load.ts';
import { peerCommand } from './processes.ts';

export interface Options {
  rounds: number;
  seconds: number;
  warmUp: number;
  connections: number;
  customers: number;
  only: string[];
  before?: string;
  fromSource?: boolean;
}

export function readOptions(): Options {
  const names = works.map(({ name }) => name);
  const number = (flags: string, what: string, usual: number) =>
    new Option(flags, what).argParser(Number).default(usual);
  return new Command('npm run bench --')
    .description('Measures the service beside its peers, on this machine and a MongoDB of its own.')
    .addOption(number('--rounds <count>', 'how often each process has its turn', 5))
    .addOption(number('--seconds <count>', 'how long a turn is', 1.5))
    .addOption(number('--warm-up <seconds>', 'load on each process before the first round', 5))
    .addOption(number('--connections <count>', 'how many requests are sent at once', 32))
    .addOption(number('--customers <count>', 'how many keys are used in turn', 1000))
    .addOption(new Option('--only <works...>', 'these works').choices(names).default(names))
    .option('--before <dir>', 'beside the build in this checkout, in place of the peers')
    .option('--from-source', 'our service through tsx from its sources, not from dist/')
    .parse()
    .opts<Options>();
}

export interface Contender {
  title: string;
  command: string[];
  settings?: Record<string, string>;
}

/** What a host has with both, though nobody here is mailed and no webhook is stored. */
const events = {
  SECRETS_KEY: Buffer.alloc(32, 'bench').toString('base64'),
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'bench@example.com',
  PUBLIC_URL: 'http://127.0.0.1',
};

/** Ours, and what it is compared with. */
export function comparisonsOf({ before, fromSource }: Options): [Contender, Contender][] {
  const command = fromSource ? [process.execPath, '--import', 'tsx', 'server/main.ts'] : ['server/start.sh'];
  const ours = { title: 'ours', command };
  const oursWithEvents = { title: 'ours, mail and webhooks', command, settings: events };
  if (!before)
    return [
      [ours, { title: 'Fastify, native driver', command: peerCommand('native-driver') }],
      [ours, { title: 'Fastify, our models', command: peerCommand('own-models') }],
      [oursWithEvents, ours],
    ];
  const earlier = [resolve(before, 'server/start.sh')];
  return [
    [ours, { title: 'before', command: earlier }],
    [oursWithEvents, { title: 'before, mail and webhooks', command: earlier, settings: events }],
  ];
}
