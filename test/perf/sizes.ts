/** The resources that a host needs: bytes in MongoDB, memory of a process at a steady rate, and calls of the panel. See test/README.md. */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { createCli } from '../support/cli.ts';
import { useDirectory } from '../support/directory.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { startProgram } from '../support/program.ts';
import { useService } from '../support/service.ts';
import { fillDatabase } from './customers.ts';
import { readProcess } from './faults/readings.ts';
import { requestMixOf } from './faults/request-mix.ts';
import { SteadyLoad } from './faults/steady-load.ts';

/** The part to measure in a quick run: printed sizes are extrapolated to the full amount. */
const share = Number(process.env['SHARE'] ?? 1);
const ticketCount = 10_000 * share;
const messagesEach = 6;
const entryCount = 1_000_000 * share;
const customerCount = 1000;
const rates = [100, 300];
const loadMs = 120_000 * share;
const hourMs = 3_600_000;

const print = (what: string, size: string) => void process.stdout.write(`| ${what} | ${size} |\n`);

/** Letters that compress no better than prose. */
const wordsOf = (bytes: number) => randomBytes(bytes / 2).toString('hex');

describe('the database', () => {
  const directory = useDirectory();
  const service = useService({ rateLimitPerMinute: 1_000_000, config: { hasWebhooks: false } });

  async function printSize(what: string, collection: string) {
    await service.connection.db?.admin().command({ fsync: 1 });
    const stats = await service.connection.db?.command({ collStats: collection });
    print(`${what}, with indexes`, `${Math.round(stats?.['totalSize'] / share / 1024 ** 2)} MiB`);
  }

  it('stores tickets', async () => {
    const { user } = await service.addKey();
    const subject = {
      serviceName: null,
      serviceReference: null,
      serviceType: null,
      subject: 'Lag since noon',
    };
    const one = await service.models.tickets.open({
      ...{ ...subject, text: '', userId: user._id, keyId: '', now: new Date() },
    });
    const tickets = service.connection.collection<{ _id: number; messages: object[] }>('tickets');
    const stored = await tickets.findOne({ _id: one._id });
    if (!stored) throw new Error('the ticket is not stored');
    const message = stored.messages[0];
    const copies = Array.from({ length: ticketCount }, (_, index) => ({
      ...{ ...stored, _id: index + 2, userId: randomInt(customerCount) },
      messages: Array.from({ length: messagesEach }, () => ({ ...message, text: wordsOf(300) })),
    }));
    await tickets.insertMany(copies);
    await printSize(`10,000 tickets of ${messagesEach} messages of 300 characters`, 'tickets');
  });

  it('stores audit entries', async () => {
    const keys = Array.from({ length: customerCount }, () => randomUUID());
    const entry = { operation: 'tickets.list', target: null, status: 200, code: null, via: 'rest' as const };
    for (let count = 0; count < entryCount; count += 1000)
      await service.models.auditEntries.store(
        keys.map((keyId, userId) => ({
          ...{ ...entry, userId, keyId, at: new Date(), requestId: randomUUID() },
          address: `192.0.2.${userId % 256}`,
        })),
      );
    await printSize('1,000,000 audit entries', 'audit_entries');
  });

  for (const [what, command] of [
    ['a backup', 'backup'],
    ['a restore', 'restore --drop'],
  ])
    it(`goes through ${what}`, async () => {
      const cli = createCli({ MONGODB_URI: service.databaseUri });
      const startedAt = performance.now();
      await cli.text(`${command} ${directory.path}/all`);
      print(`${what} of both`, `${Math.round((performance.now() - startedAt) / share / 1000)} s`);
    });
});

describe('one process of the service', () => {
  for (const rate of rates)
    it(`serves ${rate} calls a second`, async () => {
      const uri = testDatabaseUri();
      const settings = {
        MONGODB_URI: uri,
        METRICS_PORT: '0',
        RATE_LIMIT_PER_MINUTE: '1000000',
        TICKETS_PER_DAY: '0',
      };
      const program = await startProgram(settings, 'exec server/start.sh');
      const requests = requestMixOf(await fillDatabase(uri, customerCount, 10));
      const { cpuSeconds: cpuBefore } = await readProcess(program);
      const load = new SteadyLoad({ url: program.url, requests, rate });
      await pass(loadMs);
      const { p99 } = load.takeLatency();
      const { rssMegabytes, cpuSeconds } = await readProcess(program);
      await load.stop();
      expect(load.unexpected).to.deep.equal({});
      const cpuPercent = Math.round(((cpuSeconds - cpuBefore) / loadMs) * 100_000);
      print(
        `${rate} mixed calls a second of ${customerCount} customers`,
        `${rssMegabytes} MiB, ${cpuPercent} % of a processor, p99 ${p99} ms`,
      );
      await program.stop();
    });
});

describe('the service', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  const identifiers = ['one', 'two', 'three'];
  const states = '/servers/states';
  /** The page requests states every 3 seconds, and a server's usage every 20. */
  const ofPage = (round: number) =>
    round % 7 === 0 ? [states, ...identifiers.map((id) => `/servers/${id}/resources`)] : [states];

  for (const { who, everyMs, pathsOf } of [
    { who: 'with the page open', everyMs: 3000, pathsOf: ofPage },
    { who: 'whose script asks for states each minute', everyMs: 60_000, pathsOf: () => [states] },
  ])
    it(`calls the panel for a customer ${who}`, async () => {
      const user = await service.addUser({ panelUserId: 7 });
      const { secret: key } = await service.addKey({ user });
      service.panel.servers.set(
        7,
        identifiers.map((identifier) => panelServer({ identifier })),
      );
      service.panel.requests.length = 0;
      for (let round = 0; round * everyMs < hourMs; round += 1) {
        for (const path of pathsOf(round))
          expect((await service.call('GET', path, { key })).status, path).to.equal(200);
        service.clock.advance(everyMs);
      }
      const callsOf = (api: string) =>
        service.panel.requests.filter(({ path }) => path.startsWith(`/api/${api}/`)).length;
      const calls = `${callsOf('client')} client and ${callsOf('application')} application calls an hour`;
      print(`a customer with three servers ${who}`, calls);
    });
});
