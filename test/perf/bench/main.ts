/** npm run bench: compares the service with its peers, or with an earlier build, and prints a table. */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { connectMongoose, openDatabase } from '../../../server/database.ts';
import { mongodCacheDir } from '../../support/mongo.ts';
import { type Customer, fillDatabase } from '../customers.ts';
import { allRequests, measure, type Sample, type Work, warmUp, works } from './load.ts';
import { type Contender, comparisonsOf, type Options, readOptions } from './options.ts';
import { buildPeers, divideProcessors, type Server, startServer } from './processes.ts';
import { compare, markdownTable } from './report.ts';

/** Processes per contender: starts of one build differ by several percent. */
const processCount = 2;

const ticketsEach = 20;

const commonSettings = {
  PANEL_URL: 'http://127.0.0.1:9',
  PANEL_APPLICATION_KEY: 'ptla_bench',
  PANEL_CLIENT_KEY: 'ptlc_bench',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_MINUTE: '1000000',
  ADDRESS_LIMIT_PER_MINUTE: '1000000',
  TICKETS_PER_DAY: '0',
};

/** A running contender on its own database, as builds may store differently. */
interface Running {
  contender: Contender;
  connection: Connection;
  customers: Customer[];
  servers: Server[];
  stop(): Promise<void>;
}

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const options = readOptions();
  const processors = divideProcessors();
  await buildPeers();
  const dataDir = await mkdtemp(join(tmpdir(), 'gamehost-bench-'));
  const mongod = { mongodSystemBinary: process.env['MONGOMS_SYSTEM_BINARY'], cacheDir: mongodCacheDir };
  const database = await openDatabase({ ...mongod, dataDir, reportProgress: say });
  const running: Running[] = [];
  try {
    for (const contender of new Set(comparisonsOf(options).flat())) {
      say(`Starting ${contender.title} ...`);
      const uri = database.uri.replace(/\/[^/?]*(\?|$)/, `/bench_${running.length}$1`);
      running.push(await start(contender, uri, options));
    }
    const rows = await measureAll(running, options);
    process.stdout.write(`${describeRun(options, processors)}\n\n${markdownTable(rows)}\n`);
  } finally {
    for (const { stop } of running) await stop();
    await database.stop();
    await rm(dataDir, { recursive: true });
  }
}

const describeRun = ({ rounds, seconds, customers, connections }: Options, processors: string) =>
  [
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${cpus()[0]?.model}, ${processors}; Node ${process.version};`,
    `${rounds} rounds of ${seconds} s for each of ${processCount} processes; ${customers} keys, ${connections} connections`,
  ].join('\n');

async function start(contender: Contender, uri: string, { customers: count }: Options): Promise<Running> {
  const customers = await fillDatabase(uri, count, ticketsEach);
  const connection = await connectMongoose(uri);
  const settings = { ...commonSettings, ...contender.settings, MONGODB_URI: uri };
  const servers: Server[] = [];
  while (servers.length < processCount) servers.push(await startServer(contender.command, settings));
  const stop = async () => {
    for (const server of servers) await server.stop();
    await connection.close();
  };
  return { contender, connection, customers, servers, stop };
}

async function measureAll(running: Running[], options: Options): Promise<string[][]> {
  const rows: string[][] = [];
  for (const work of works.filter(({ name }) => options.only.includes(name))) {
    say(`${work.title} ...`);
    const rounds = await measureWork(work, running, options);
    const roundsOf = ({ title }: Contender) => rounds.get(title) ?? [];
    for (const [ours, theirs] of comparisonsOf(options))
      rows.push([work.title, ours.title, theirs.title, ...compare(roundsOf(ours), roundsOf(theirs))]);
  }
  return rows;
}

/** The mean of each contender's processes in each round, by title. Every other round runs in reverse order. */
async function measureWork(work: Work, running: Running[], options: Options): Promise<Map<string, Sample[]>> {
  const turns = running.flatMap(({ contender: { title }, connection, customers, servers }) => {
    const load = {
      requests: allRequests(work, customers),
      connections: options.connections,
      status: work.status,
    };
    return servers.map((server) => ({ title, connection, load: { ...load, server } }));
  });
  for (const { load } of turns) await warmUp(load, options.warmUp);
  const rounds = new Map(running.map(({ contender: { title } }) => [title, [] as Sample[]]));
  for (let round = 0; round < options.rounds; round += 1) {
    const taken: { title: string; sample: Sample }[] = [];
    for (const { title, connection, load } of round % 2 === 0 ? turns : turns.toReversed()) {
      // A customer may have a hundred open tickets.
      await connection.collection('tickets').updateMany({ status: 'New' }, { $set: { status: 'Closed' } });
      taken.push({ title, sample: await measure(load, options.seconds) });
    }
    for (const [title, earlier] of rounds)
      earlier.push(meanOf(taken.filter((turn) => turn.title === title).map(({ sample }) => sample)));
  }
  return rounds;
}

const meanOf = (samples: Sample[]): Sample => {
  const mean = (read: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + read(sample), 0) / samples.length;
  return { cpuMicroseconds: mean((each) => each.cpuMicroseconds), perSecond: mean((each) => each.perSecond) };
};

await main();
