/** Visitors without a key and a hostile customer attack in every known way at once. The service stays up and answers ordinary callers. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createModels } from '../../../models/index.ts';
import { connectMongoose } from '../../../server/database.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startProgram, type TestProgram } from '../../support/program.ts';
import { type Customer, fillDatabase, issueAllKeys } from '../customers.ts';
import { describeCounts, record } from './figures.ts';
import { collectingArguments, readCollected, readProcess } from './readings.ts';
import { requestMixOf } from './request-mix.ts';
import { SteadyLoad } from './steady-load.ts';

const attackSeconds = 60;
const callsPerSecond = 50;
const warmUpMs = 5000;

/** The container has 1 GiB. */
const rssMegabytesMax = 500;

/** Heap and external memory after a collection: the resident set also has what the allocator keeps for later. */
const heldMegabytesMax = { atWork: 250, afterwards: 150 };
const recoveryMs = 60_000;

/** A list of such announcements takes almost a megabyte. */
const longText = 'x'.repeat(9000);
const longListLength = 100;

const attackProgram = fileURLToPath(new URL('attack.ts', import.meta.url));

type HostileCustomer = Awaited<ReturnType<typeof prepareAttack>>;

/** Adds long announcements, long tickets of a customer, and the maximum number of keys. */
async function prepareAttack(uri: string, customer: Customer) {
  const { userId, ticketIds } = customer;
  const connection = await connectMongoose(uri);
  const models = createModels(connection);
  const now = new Date();
  const long = { title: 'Long', summary: '', message: longText, tag: null, showInRibbon: false };
  for (let count = 0; count < longListLength; count += 1)
    await models.announcements.add({ ...long, status: 'published' }, now);
  const messages = Array(longListLength).fill({
    id: 'long',
    userId,
    keyId: '',
    text: longText,
    createdAt: now,
  });
  await connection.collection('tickets').updateMany({ userId }, { $set: { messages } });
  const keys = await issueAllKeys(models, customer);
  await connection.close();
  return { keys, ticketIds };
}

/** Attacks from a separate process, so that the latency measured in this one is the service's. */
function startAttack(url: string, customer: HostileCustomer) {
  const child = spawn(process.execPath, ['--import', 'tsx', attackProgram, url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(customer)); // others can read the arguments of a process
  const printed = text(child.stdout);
  return {
    async stop(): Promise<Record<string, Record<string, number>>> {
      child.kill('SIGTERM');
      return JSON.parse(await printed);
    },
  };
}

describe('the service under hostile clients', () => {
  let program: TestProgram;
  let load: SteadyLoad;
  let hostile: HostileCustomer;

  before(async () => {
    const uri = testDatabaseUri();
    const customers = await fillDatabase(uri, 400, 12);
    const start = `exec server/start.sh ${collectingArguments}`;
    program = await startProgram({ MONGODB_URI: uri, METRICS_PORT: '0' }, start);
    const [customer] = customers.splice(0, 1);
    if (!customer) throw new Error('there are no customers');
    hostile = await prepareAttack(uri, customer);
    const requests = requestMixOf(customers);
    load = new SteadyLoad({ url: program.url, requests, rate: callsPerSecond });
    await pass(warmUpMs);
  });
  after(async () => {
    await load.stop();
    expect(await program.stop()).to.equal(0);
  });

  it('stays within its memory and answers every ordinary call as usual', async () => {
    const before = load.takeLatency();
    const attack = startAttack(program.url, hostile);
    let rssMegabytes = 0;
    for (let second = 0; second < attackSeconds; second += 1) {
      await pass(1000);
      rssMegabytes = Math.max(rssMegabytes, (await readProcess(program)).rssMegabytes);
    }
    const { p50, p99, max } = load.takeLatency();
    const atWork = await readCollected(program);
    const outcomes = await attack.stop();
    await pass(recoveryMs);
    const resting = await readProcess(program);
    const afterwards = await readCollected(program);
    record(`${attackSeconds} s of attacks`, {
      ...{ 'p50 ms': p50, 'p99 ms': p99, 'longest ms': max, 'p99 before ms': before.p99 },
      'RSS MB at most': rssMegabytes,
      'held MB at work': atWork.heldMegabytes,
      'RSS MB a minute after': resting.rssMegabytes,
      'RSS MB after a collection': afterwards.rssMegabytes,
      'held MB a minute after': afterwards.heldMegabytes,
      ...Object.fromEntries(Object.entries(outcomes).map(([name, counts]) => [name, describeCounts(counts)])),
    });
    expect(load.unexpected).to.deep.equal({});
    expect(rssMegabytes).to.be.below(rssMegabytesMax);
    expect(atWork.heldMegabytes).to.be.below(heldMegabytesMax.atWork);
    expect(afterwards.heldMegabytes).to.be.below(heldMegabytesMax.afterwards);
  });
});
