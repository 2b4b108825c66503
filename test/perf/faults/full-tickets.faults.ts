/** One customer fills the maximum number of tickets, and changes, lists and reads all of them at once. */
import { readFile } from 'node:fs/promises';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { openTicketsMax } from '../../../models/bounds.ts';
import { createModels } from '../../../models/index.ts';
import { ticketLimits } from '../../../models/ticket/reply.ts';
import { connectMongoose } from '../../../server/database.ts';
import { startProgram } from '../../support/program.ts';
import { TestReplicaSet } from '../../support/replica-set.ts';
import { useStarted } from '../../support/use-started.ts';
import { type Customer, fillDatabase, issueAllKeys } from '../customers.ts';
import { callApi } from './call.ts';
import { describeCounts, record } from './figures.ts';
import { requestMixOf } from './request-mix.ts';
import { SteadyLoad } from './steady-load.ts';

const attackSeconds = 60;
const callsPerSecond = 30;
/** docker-compose.yml gives MongoDB 1 GiB. */
const mongodMegabytesMax = 800;
const p99MsMax = 1000;

/** Uses a MongoDB with the cache that it would have in 1 GiB. */
async function startOnSmallMongod() {
  const set = await TestReplicaSet.start({ members: 1 });
  const customers = await fillDatabase(set.uri, 200, 3);
  const program = await startProgram({ MONGODB_URI: set.uri }, 'exec server/start.sh');
  return {
    ...{ set, customers, program },
    async stop() {
      expect(await program.stop()).to.equal(0);
      await set.stop();
    },
  };
}

/** Fills a hundred tickets, except for some replies of one character. */
async function prepareAttack(uri: string, customer: Customer) {
  const { userId } = customer;
  const connection = await connectMongoose(uri);
  const models = createModels(connection);
  const now = new Date();
  const text = 'äöüß'.repeat(1250);
  const count = Math.floor(ticketLimits.customerBytes / Buffer.byteLength(text));
  const bytes = count * Buffer.byteLength(text);
  const message = { id: 'x'.repeat(36), userId, keyId: 'x'.repeat(24), text, createdAt: now };
  await connection.collection('tickets').deleteMany({ userId });
  const ticketIds: number[] = [];
  while (ticketIds.length < openTicketsMax) {
    const service = { serviceName: null, serviceReference: null, serviceType: null };
    const opened = { ...service, userId, keyId: '', subject: 'Full', text: 'x', now };
    ticketIds.push((await models.tickets.open(opened))._id);
  }
  const messages = Array(count).fill(message);
  const facts = { messageBytes: bytes, customerBytes: bytes, messageCount: count };
  await connection.collection('tickets').updateMany({ userId }, { $set: { messages, ...facts } });
  const keys = await issueAllKeys(models, customer);
  await connection.close();
  return { keys, ticketIds };
}

describe('the service under a customer with full tickets', () => {
  const service = useStarted(startOnSmallMongod);

  it('keeps MongoDB within its memory and every ordinary call below one second', async () => {
    const { set, customers, program } = service;
    const [hostile] = customers.splice(0, 1);
    if (!hostile) throw new Error('there are no customers');
    const { keys, ticketIds } = await prepareAttack(set.uri, hostile);
    const requests = requestMixOf(customers);
    const load = new SteadyLoad({ url: program.url, requests, rate: callsPerSecond });
    await pass(5000);
    load.takeLatency();
    const statuses: Record<string, number> = {};
    let isOver = false;
    const attack = keys.map(async (key, index) => {
      for (let round = 0; !isOver; round += 1) {
        const id = ticketIds[(index + round * keys.length) % ticketIds.length];
        const [path, body] = [
          [`/tickets/${id}/close`, {}] as const,
          ['/tickets?limit=200', undefined] as const,
          [`/tickets/${id}/reopen`, {}] as const,
          [`/tickets/${id}/reply`, { message: '.' }] as const,
          [`/tickets/${id}?limit=100`, undefined] as const,
        ][(round + index) % 5] ?? ['/tickets', undefined];
        const { status } = await callApi(program.url, path, { key, body });
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === 429) await pass(1000);
      }
    });
    let mongodMegabytes = 0;
    for (let second = 0; second < attackSeconds; second += 1) {
      await pass(1000);
      mongodMegabytes = Math.max(mongodMegabytes, await residentMegabytes(await set.primaryPid()));
    }
    const { p50, p99, max } = load.takeLatency();
    isOver = true;
    await Promise.all(attack);
    await load.stop();
    record(`${attackSeconds} s of full tickets`, {
      ...{ 'p50 ms': p50, 'p99 ms': p99, 'longest ms': max },
      'mongod MB at most': Math.round(mongodMegabytes),
      'responses of the attack': describeCounts(statuses),
    });
    expect(load.unexpected).to.deep.equal({});
    expect(mongodMegabytes).to.be.below(mongodMegabytesMax);
    expect(p99).to.be.below(p99MsMax);
  });
});

async function residentMegabytes(pid: number): Promise<number> {
  const [, kilobytes = 0] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
