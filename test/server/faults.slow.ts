/** In short what `npm run test:faults` proves at length: of what was acknowledged before a fault nothing is lost. */
import { expect } from 'chai';
import { findFreePort } from '../../server/dev/free-port.ts';
import { addCustomers } from '../perf/faults/customers.ts';
import { Load } from '../perf/faults/load.ts';
import { endInOrder } from '../perf/faults/verdict.ts';
import { soakWebhooks } from '../perf/faults/webhook-soak.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { startProgram } from '../support/program.ts';
import { TestReplicaSet } from '../support/replica-set.ts';

const settings = { RATE_LIMIT_PER_MINUTE: '1000000' };

describe('under load', () => {
  const started: { stop(): Promise<unknown> }[] = [];
  const keep = <Started extends { stop(): Promise<unknown> }>(one: Started): Started => {
    started.push(one);
    return one;
  };
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.stop();
  });

  it("MongoDB's primary killed: what was acknowledged is there, once, and the service goes on", async () => {
    const set = keep(await TestReplicaSet.start({ electionTimeoutMillis: 1000 }));
    const program = keep(await startProgram({ ...settings, MONGODB_URI: set.uri }));
    const load = new Load({ urls: [program.url], keys: await addCustomers(set.uri, 6) });
    await load.acknowledges(50);
    await set.killPrimary();
    await load.recovers();
    await load.acknowledges(50);
    await endInOrder("MongoDB's primary killed", { load, uri: set.uri, program });
    expect(await program.stop()).to.equal(0);
  });

  it('the service killed: what was acknowledged is there, once, and audited, and it goes on when started again', async () => {
    const uri = testDatabaseUri();
    const PORT = String(await findFreePort());
    const start = async () => keep(await startProgram({ ...settings, MONGODB_URI: uri, PORT }));
    const killed = await start();
    const load = new Load({ urls: [killed.url], keys: await addCustomers(uri, 6), isRetried: false });
    await load.acknowledges(100);
    await killed.stop('SIGKILL');
    const program = await start();
    await load.recovers();
    await endInOrder('the service killed', { load, uri, program });
    expect(await program.stop()).to.equal(0);
  });
});

describe('webhooks while processes are killed', () => {
  it('every event of an acknowledged write arrives, with one id, and no delivery is tried by two at once', async () => {
    const plan = { events: 200, processes: 2, customers: 10, killEveryMs: 1000, killsMax: 2 };
    const soaked = await soakWebhooks(plan);
    expect(soaked).to.include({ acknowledged: plan.events, lost: 0, withSeveralIds: 0, mostAtOnce: 1 });
  });
});
