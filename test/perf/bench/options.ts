/** The benchmark's command line and the contenders that it selects. */
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
    .description('Compares the service with its peers, on this machine and with its own MongoDB.')
    .addOption(number('--rounds <count>', 'number of turns of each process', 5))
    .addOption(number('--seconds <count>', 'length of a turn', 1.5))
    .addOption(number('--warm-up <seconds>', 'load on each process before the first round', 5))
    .addOption(number('--connections <count>', 'number of concurrent requests', 32))
    .addOption(number('--customers <count>', 'number of keys, used in turn', 1000))
    .addOption(new Option('--only <works...>', 'these works').choices(names).default(names))
    .option('--before <dir>', 'compare with the build in <dir> instead of the peers')
    .option('--from-source', 'run the service from its sources through tsx, not from dist/')
    .parse()
    .opts<Options>();
}

export interface Contender {
  title: string;
  command: string[];
  settings?: Record<string, string>;
}

/** The settings of a host with both; the benchmark sends no mail and stores no webhook. */
const events = {
  SECRETS_KEY: Buffer.alloc(32, 'bench').toString('base64'),
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'bench@example.com',
  PUBLIC_URL: 'http://127.0.0.1',
};

/** The service and its counterparts. */
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
