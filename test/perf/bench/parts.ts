/** The parts of a run in their order, each a titled table. */
import { type Bench, databaseName, Servers } from './bench.ts';
import { type Comparison, comparisons, contenders } from './contenders.ts';
import { deployedTable } from './deployed/deployed.ts';
import { commandOf } from './environment.ts';
import { growthTables } from './growth.ts';
import { comparisonTable, markdownTable, memoryTable, showSpread, showWhole, spreadOf } from './report.ts';
import { measureSideBySide } from './side-by-side.ts';
import { webhookTables } from './webhooks.ts';

export interface Part {
  title: string;
  /** How many times the processes that were asked for: more where their starts differ by more than their rounds. */
  processesTimes?: number;
  table(bench: Bench): Promise<string>;
}

const titles = new Map(contenders.map(({ name, title }) => [name, title]));

async function sideBySide(
  bench: Bench,
  usual: Comparison[],
  connections = bench.options.connections,
): Promise<string> {
  const compared = bench.options.before ? comparisons.before : usual;
  const measured = await measureSideBySide(bench, { comparisons: compared, connections });
  return comparisonTable(measured, compared, titles);
}

const withOwnServers = (bench: Bench): Bench => ({ ...bench, servers: new Servers(bench.environment) });

export const parts: Record<string, Part> = {
  many: {
    title: 'At many connections',
    table: async (bench) =>
      `${await sideBySide(bench, comparisons.many)}\n\n${memoryTable(await bench.servers.list())}`,
  },
  one: {
    title: 'At one connection, so that nothing is bought with latency',
    processesTimes: 2,
    table: (bench) => sideBySide(withOwnServers(bench), comparisons.one, 1),
  },
  redis: {
    title: 'With limits shared over Redis',
    processesTimes: 2,
    table: async (bench) => {
      const many = await sideBySide(withOwnServers(bench), comparisons.redis);
      const one = await sideBySide(withOwnServers(bench), comparisons.redis, 1);
      return `${many}\n\nAt one connection:\n\n${one}`;
    },
  },
  growth: {
    title: 'With more users, keys and tickets in the database',
    table: growthTables,
  },
  webhooks: { title: 'With webhooks', table: webhookTables },
  deployed: { title: 'Deployed: nginx, two processes, Redis, a replica set of three', table: deployedTable },
  start: { title: 'Start on an existing MongoDB', table: startUpTable },
};

const aimMs = 1000;

async function startUpTable(bench: Bench): Promise<string> {
  const plans = [
    { title: 'ours, npm start', command: ['npm', 'start', '--silent'] },
    { title: 'ours, node', command: commandOf('ours') },
    { title: 'Fastify, native driver, node', command: commandOf('fastify-native') },
  ];
  const times = plans.map(() => [] as number[]);
  for (let round = 0; round < bench.effort.rounds; round += 1) {
    for (const [index, { command }] of plans.entries()) times[index]?.push(await timeStart(bench, command));
  }
  const rows = plans.map(({ title }, index) => {
    const spread = spreadOf(times[index] ?? []);
    const isOurs = title.startsWith('ours');
    const aim = isOurs ? `${aimMs} ${spread.median < aimMs ? 'reached' : 'MISSED'}` : '';
    return [title, showSpread(spread, showWhole), aim];
  });
  return markdownTable(['start', 'ms to the first answer (min to max)', 'aim'], rows);
}

async function timeStart({ environment, customers }: Bench, command: string[]): Promise<number> {
  const [reader] = customers.readers;
  const knock = { path: '/api/v1/me', headers: { authorization: `Bearer ${reader?.secret}` } };
  const server = await environment.run(command, { databaseName, knock });
  await server.stop();
  if (server.firstStatus !== 200) throw new Error(`The first answer was a ${server.firstStatus}`);
  return server.startMs;
}
