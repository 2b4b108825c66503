/** What webhooks cost a write, how many deliveries a process makes in a second, and how a backlog drains with two. */
import { createModels, type Models } from '../../../models/index.ts';
import { connectMongoose } from '../../../server/database.ts';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { type Bench, databaseName } from './bench.ts';
import type { Comparison } from './contenders.ts';
import type { Customer, Customers } from './customers.ts';
import { openPlace, placesTable } from './places.ts';
import { markdownTable, showSpread, showWhole, spreadOf } from './report.ts';
import { workNamed } from './works.ts';

const secretsKey = Buffer.alloc(32, 'bench');
const settings = {
  SECRETS_KEY: secretsKey.toString('base64'),
  WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1/32',
};

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
  /** A place whose first writer, or first of the staff, has a webhook. */
  const withWebhook = (name: string, audience: Audience) => {
    const database = `${databaseName}_webhooks_${name}`;
    const prepare = ({ writers, staff }: Customers) =>
      withModels(bench.environment.uriOf(database), (models) =>
        addWebhook(models, { owner: (audience === 'host' ? staff : writers)[0], audience, url }),
      );
    return { name, database, prepare, settings };
  };
  const plans = [
    { name: 'off', title: 'ours, webhooks off' },
    { name: 'none', title: 'ours, no webhook stored', settings },
    { ...withWebhook('one', 'customer'), title: 'ours, a webhook of one customer' },
    { ...withWebhook('every', 'host'), title: "ours, the host's webhook gets each" },
  ];
  const places = [];
  for (const plan of plans) places.push(await openPlace(bench, plan));
  return placesTable(bench, places, { works: [workNamed('create')], connections: 1, comparisons });
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

type Audience = 'customer' | 'host';

interface NewWebhook {
  owner: Customer | undefined;
  audience: Audience;
  url: string;
}

function addWebhook({ webhooks }: Models, { owner, audience, url }: NewWebhook) {
  const kind = { format: 'standard' as const, events: ['ticket.created' as const] };
  const about = { description: null, keyId: '' };
  return webhooks.add({ ...kind, ...about, userId: owner?.userId ?? 0, audience, url }, new Date());
}

/** Each of a customer of its own: to one host, the rate of each is limited. */
const webhooksAtWork = 100;
const aimPerSecond = 300;
const backlog = { quick: 1000, full: 10_000 };
const giveUpMs = 300_000;

/** A backlog of events of a hundred customers, stored at once while the processes run. */
async function deliveryTable(bench: Bench, receiver: WebhookReceiver): Promise<string> {
  const count = bench.options.quick ? backlog.quick : backlog.full;
  const rows: string[][] = [];
  for (const processes of [1, 2]) {
    bench.say(`${count} deliveries, processes: ${processes} ...`);
    const rates: number[] = [];
    for (let round = 0; round < bench.effort.rounds; round += 1) {
      const name = `${databaseName}_backlog_${processes}_${round}`;
      rates.push(await drain(bench, receiver, { name, processes, count }));
    }
    const spread = spreadOf(rates);
    const isReached = spread.median >= aimPerSecond;
    const aim = processes === 1 ? `${aimPerSecond} ${isReached ? 'reached' : 'MISSED'}` : '';
    const forAll = showWhole((1000 * count) / spread.median);
    rows.push([`${processes}`, showSpread(spread, showWhole), forAll, aim]);
  }
  return markdownTable(['processes', 'deliveries/s (min to max)', `ms for ${count}`, 'aim'], rows);
}

interface Backlog {
  name: string;
  processes: number;
  count: number;
}

/** Resolves to deliveries a second, from the first that arrives to the last. */
async function drain(bench: Bench, receiver: WebhookReceiver, { name, processes, count }: Backlog) {
  const { environment } = bench;
  const { readers } = await environment.fill(name, { inPlay: webhooksAtWork, idle: 0 });
  return withModels(environment.uriOf(name), async (models) => {
    for (const owner of readers) await addWebhook(models, { owner, audience: 'customer', url: receiver.url });
    const start = () => environment.start('ours', { databaseName: name, settings });
    const servers = await Promise.all(Array.from({ length: processes }, start));
    receiver.received.length = 0;
    const data = { ticket: { id: 1, subject: 'Players time out since noon' } };
    const owners = Array.from({ length: count }, (_, index) => readers[index % readers.length]?.userId ?? 0);
    await Promise.all(
      owners.map((userId) =>
        models.webhookEvents.record([{ type: 'ticket.created', userId, at: new Date(), data }]),
      ),
    );
    const arrived = await receiver.waitFor(count, giveUpMs);
    for (const server of servers) await server.stop();
    const [first, last] = [arrived[0], arrived[count - 1]].map((delivery) => delivery?.receivedAt ?? 0);
    return (1000 * count) / ((last ?? 0) - (first ?? 0));
  });
}
