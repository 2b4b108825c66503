/** Visitors without a key and a hostile customer attack in every known way at once: the service stays up and answers ordinary callers. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { liveKeysMax } from '../../../models/bounds.ts';
import { createModels } from '../../../models/index.ts';
import { scopes } from '../../../routers/scopes.ts';
import { connectMongoose } from '../../../server/database.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startProgram, type TestProgram } from '../../support/program.ts';
import { readStartArguments } from '../../support/start-command.ts';
import { type Customer, fillDatabase } from '../customers.ts';
import { record } from './figures.ts';
import { collectingArguments, type Reading, readCollected, readProcess } from './readings.ts';
import { requestMixOf } from './request-mix.ts';
import { SteadyLoad } from './steady-load.ts';

const attackSeconds = 60;
const callsPerSecond = 50;
const warmUpMs = 5000;

/** The image is given 1 GiB. */
const rssMegabytesMax = 500;

/** Heap and external memory after a collection: the resident set also has what the allocator keeps for later. */
const heldMegabytesMax = { atWork: 250, afterwards: 150 };
const recoveryMs = 60_000;

/** Lists of these take almost a megabyte. */
const longText = 'x'.repeat(9000);
const longListLength = 100;

const attackProgram = fileURLToPath(new URL('attack.ts', import.meta.url));

interface HostileCustomer {
  keys: string[];
  ticketIds: number[];
}

/** Adds long announcements, makes a customer's tickets long, and adds as many keys as one may have. */
async function prepareAttack(uri: string, customer: Customer): Promise<HostileCustomer> {
  const { userId, secret, ticketIds } = customer;
  const connection = await connectMongoose(uri);
  const { apiKeys, announcements } = createModels(connection);
  const now = new Date();
  const long = { title: 'Long', summary: '', message: longText, tag: null, showInRibbon: false };
  for (let count = 0; count < longListLength; count += 1)
    await announcements.add({ ...long, status: 'published' }, now);
  const message = { id: 'long', userId, keyId: '', text: longText, createdAt: now };
  const messages = Array.from({ length: longListLength }, () => message);
  await connection.collection('tickets').updateMany({ userId }, { $set: { messages } });
  const keys = [secret];
  while (keys.length < liveKeysMax) {
    const key = { userId, name: 'hostile', scopes, expiresAt: null };
    keys.push((await apiKeys.issue(key, now)).secret);
  }
  await connection.close();
  return { keys, ticketIds };
}

/** Attacks from a process of its own, so that the latency measured in this one is the service's. */
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

const describeCounts = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([status, count]) => `${count} x ${status === '0' ? 'cut off' : status}`)
    .join(' ');

const heldMegabytes = ({ heapMegabytes, externalMegabytes }: Reading) =>
  Math.round(heapMegabytes + externalMegabytes);

describe('hostile clients', () => {
  let program: TestProgram;
  let load: SteadyLoad;
  let hostile: HostileCustomer;

  before(async () => {
    const uri = testDatabaseUri();
    const customers = await fillDatabase(uri, 400, 12);
    const settings = { MONGODB_URI: uri, METRICS_PORT: '0' };
    program = await startProgram(
      settings,
      ['exec node', collectingArguments, ...readStartArguments()].join(' '),
    );
    const [customer] = customers.splice(0, 1);
    if (!customer) throw new Error('there are customers');
    hostile = await prepareAttack(uri, customer);
    load = new SteadyLoad({
      url: program.url,
      requests: requestMixOf(customers),
      rate: callsPerSecond,
    });
    await pass(warmUpMs);
  });
  after(async () => {
    await load.stop();
    expect(await program.stop()).to.equal(0);
  });

  it('leave the process running within its memory, and every ordinary call answered as without them', async () => {
    const before = load.takeLatency();
    const attack = startAttack(program.url, hostile);
    const readings: Reading[] = [];
    for (let second = 0; second < attackSeconds; second += 1) {
      await pass(1000);
      readings.push(await readProcess(program));
    }
    const { p50, p99, max } = load.takeLatency();
    const atWork = await readCollected(program);
    const outcomes = await attack.stop();
    const heapMegabytes = Math.max(...readings.map((reading) => reading.heapMegabytes));
    const rssMegabytes = Math.max(...readings.map((reading) => reading.rssMegabytes));
    await pass(recoveryMs);
    const { rssMegabytes: restingRssMegabytes } = await readProcess(program);
    const afterwards = await readCollected(program);
    await record(`${attackSeconds} s of attacks`, {
      answersPerSecond: callsPerSecond,
      notes: {
        'p50 ms': Math.round(p50),
        'p99 ms': Math.round(p99),
        'longest ms': Math.round(max),
        'p99 before ms': Math.round(before.p99),
        'heap MB at most': Math.round(heapMegabytes),
        'RSS MB at most': Math.round(rssMegabytes),
        'held MB at work': heldMegabytes(atWork),
        'RSS MB a minute after': Math.round(restingRssMegabytes),
        'RSS MB after a collection': Math.round(afterwards.rssMegabytes),
        'held MB a minute after': heldMegabytes(afterwards),
        ...Object.fromEntries(
          Object.entries(outcomes).map(([name, counts]) => [`${name}:`, describeCounts(counts)]),
        ),
      },
    });
    expect(load.unexpected).to.deep.equal({});
    expect(rssMegabytes).to.be.below(rssMegabytesMax);
    expect(heldMegabytes(atWork)).to.be.below(heldMegabytesMax.atWork);
    expect(heldMegabytes(afterwards)).to.be.below(heldMegabytesMax.afterwards);
  });
});
