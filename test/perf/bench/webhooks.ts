/** What webhooks cost a write, how many deliveries a process makes in a second, and how a backlog drains with two. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createModels, type Models } from '../../../models/index.ts';
import { connectMongoose } from '../../../server/database.ts';
import { type Bench, databaseName } from './bench.ts';
import type { Comparison } from './contenders.ts';
import type { Customers } from './customers.ts';
import type { RunningServer } from './environment.ts';
import { type Cell, measure } from './measure.ts';
import { comparisonTable, markdownTable, showSpread, showWhole, spreadOf } from './report.ts';
import { allCalls, processesOf } from './side-by-side.ts';
import { works } from './works.ts';

const secretsKey = Buffer.alloc(32, 'bench');
const settings = {
  SECRETS_KEY: secretsKey.toString('base64'),
  WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1/32',
};

const titles = new Map([
  ['off', 'ours, webhooks off'],
  ['none', 'ours, no webhook stored'],
  ['one', 'ours, a webhook of one customer'],
  ['every', "ours, the host's webhook gets each"],
]);

/** At most 2 % dearer where no webhook is stored, and 25 % where one of the customers has one; deliveries are included. */
const comparisons: Comparison[] = [
  { subject: 'none', against: 'off', aims: { any: 0.98 } },
  { subject: 'one', against: 'off', aims: { any: 0.8 } },
  { subject: 'every', against: 'off', aims: {} },
];

export async function webhookTables(bench: Bench): Promise<string> {
  const receiver = await startReceiver();
  try {
    return [await writeTable(bench, receiver.url), await deliveryTable(bench, receiver)].join(
      '\n\nDeliveries to a receiver on this machine:\n\n',
    );
  } finally {
    await receiver.stop();
  }
}

/** POST /tickets one after the other, so that deliveries keep up and their work counts as the write's. */
async function writeTable(bench: Bench, url: string): Promise<string> {
  const { customers } = bench;
  const places = [
    { name: 'off', customers, servers: await startAll(bench, databaseName, {}) },
    { name: 'none', customers, servers: await startAll(bench, databaseName, settings) },
    await placeWithWebhook(bench, 'one', url),
    await placeWithWebhook(bench, 'every', url),
  ];
  const [work] = works.filter(({ name }) => name === 'create');
  if (!work) throw new Error('there is no work named create');
  bench.say(`${work.title}, ${[...titles.values()].join('; ')} ...`);
  const cells = processesOf(bench).flatMap((process) => places.flatMap((place) => cellOf(place, process)));
  return comparisonTable([{ work, samples: await measure(cells, bench.effort) }], comparisons, titles);
}

interface Place {
  name: string;
  customers: Customers;
  servers: RunningServer[];
}

const startAll = (bench: Bench, database: string, extra: Record<string, string>) =>
  Promise.all(
    processesOf(bench).map(() =>
      bench.environment.start('ours', { databaseName: database, settings: extra }),
    ),
  );

async function placeWithWebhook(bench: Bench, name: 'one' | 'every', url: string): Promise<Place> {
  const database = `${databaseName}_webhooks_${name}`;
  const customers = await bench.environment.fill(database, { inPlay: bench.options.keys, idle: 0 });
  const [[writer], [staff]] = [customers.writers, customers.staff];
  const owner =
    name === 'one'
      ? { userId: writer?.userId ?? 0, audience: 'customer' as const }
      : { userId: staff?.userId ?? 0, audience: 'host' as const };
  await withModels(bench.environment.uriOf(database), (models) => addWebhook(models, { ...owner, url }));
  return { name, customers, servers: await startAll(bench, database, settings) };
}

function cellOf({ name, customers, servers }: Place, process: number): Cell[] {
  const [work] = works.filter((each) => each.name === 'create');
  return servers.slice(process, process + 1).flatMap(({ url, pid }) =>
    work
      ? {
          name,
          protocol: 'rest',
          url,
          pids: [pid],
          connections: 1,
          calls: allCalls(work, 'rest', customers),
          statuses: [work.status],
        }
      : [],
  );
}

async function withModels<Result>(uri: string, work: (models: Models) => Promise<Result>): Promise<Result> {
  const connection = await connectMongoose(uri);
  try {
    const models = createModels(connection);
    await models.webhookSecrets.unlock([secretsKey]);
    return await work(models);
  } finally {
    await connection.close();
  }
}

const addWebhook = (
  { webhooks }: Models,
  { url, ...owner }: { userId: number; audience: 'customer' | 'host'; url: string },
) =>
  webhooks.add(
    { ...owner, url, format: 'standard', events: ['ticket.created'], description: null, keyId: '' },
    new Date(),
  );

const webhooksAtWork = 20;
const aimPerSecond = 300;
const backlog = { quick: 1000, full: 10_000 };

/** A backlog of events of twenty customers, stored at once while the processes run. */
async function deliveryTable(bench: Bench, receiver: Receiver): Promise<string> {
  const count = bench.options.quick ? backlog.quick : backlog.full;
  const rows: string[][] = [];
  for (const processes of [1, 2]) {
    bench.say(`${count} deliveries, processes: ${processes} ...`);
    const rates: number[] = [];
    for (let round = 0; round < bench.effort.rounds; round += 1)
      rates.push(
        await drain(bench, receiver, {
          name: `${databaseName}_backlog_${processes}_${round}`,
          processes,
          count,
        }),
      );
    const spread = spreadOf(rates);
    const isReached = spread.median >= aimPerSecond;
    const aim = processes === 1 ? `${aimPerSecond} ${isReached ? 'reached' : 'MISSED'}` : '';
    rows.push([
      `${processes}`,
      showSpread(spread, showWhole),
      showWhole((1000 * count) / spread.median),
      aim,
    ]);
  }
  return markdownTable(['processes', 'deliveries/s (min to max)', `ms for ${count}`, 'aim'], rows);
}

interface Backlog {
  name: string;
  processes: number;
  count: number;
}

/** Resolves to deliveries a second, from the first that arrives to the last. */
async function drain(bench: Bench, receiver: Receiver, { name, processes, count }: Backlog): Promise<number> {
  const { environment } = bench;
  const { readers } = await environment.fill(name, { inPlay: webhooksAtWork, idle: 0 });
  return withModels(environment.uriOf(name), async (models) => {
    for (const { userId } of readers)
      await addWebhook(models, { userId, audience: 'customer', url: receiver.url });
    const start = () => environment.start('ours', { databaseName: name, settings });
    const servers = await Promise.all(Array.from({ length: processes }, start));
    const arrived = receiver.expect(count);
    const data = { ticket: { id: 1, subject: 'Players time out since noon' } };
    const owners = Array.from({ length: count }, (_, index) => readers[index % readers.length]?.userId ?? 0);
    await Promise.all(
      owners.map((userId) =>
        models.webhookEvents.record([{ type: 'ticket.created', userId, at: new Date(), data }]),
      ),
    );
    const tookMs = await arrived;
    for (const server of servers) await server.stop();
    return (1000 * count) / tookMs;
  });
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const giveUpMs = 300_000;

async function startReceiver() {
  let received = 0;
  let firstAt = 0;
  let lastAt = 0;
  const server = createServer((request, response) => {
    request.resume();
    received += 1;
    lastAt = performance.now();
    if (received === 1) firstAt = lastAt;
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Resolves, once so many requests have arrived from now on, to the milliseconds from the first to the last. */
    async expect(count: number): Promise<number> {
      received = 0;
      const giveUpAt = performance.now() + giveUpMs;
      while (received < count) {
        if (performance.now() > giveUpAt) throw new Error(`${received} of ${count} deliveries arrived`);
        await delay(50);
      }
      return lastAt - firstAt;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
