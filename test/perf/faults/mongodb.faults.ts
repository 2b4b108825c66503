/** MongoDB breaking under load: whatever was acknowledged is there, once, and all that happens in between is a short 5xx. */
import { expect } from 'chai';
import { startProgram } from '../../support/program.ts';
import { TestReplicaSet } from '../../support/replica-set.ts';
import { addCustomers } from './customers.ts';
import { Load } from './load.ts';
import { endInOrder } from './verdict.ts';

const settings = { RATE_LIMIT_PER_MINUTE: '1000000' };

describe('under load', () => {
  describe('with MongoDB on three machines', () => {
    let set: TestReplicaSet;
    let program: Awaited<ReturnType<typeof startProgram>>;

    before(async () => {
      set = await TestReplicaSet.start();
      program = await startProgram({ ...settings, MONGODB_URI: set.uri });
    });
    after(async () => {
      expect(await program.stop()).to.equal(0);
      await set.stop();
    });

    for (let round = 1; round <= 3; round += 1)
      it(`the primary killed: nothing acknowledged is lost, nothing is done twice (${round})`, async () => {
        const load = new Load({ urls: [program.url], keys: await addCustomers(set.uri, 12) });
        await load.acknowledges(300);
        const killed = await set.killPrimary();
        const recoveredMs = await load.recovers();
        await load.acknowledges(300);
        await set.restart(killed);
        await load.acknowledges(300);
        await endInOrder(`MongoDB's primary killed (${round})`, { load, uri: set.uri, program, recoveredMs });
      });
  });

  describe('with MongoDB on one machine', () => {
    let set: TestReplicaSet;
    let program: Awaited<ReturnType<typeof startProgram>>;

    before(async () => {
      set = await TestReplicaSet.start({ members: 1 });
      program = await startProgram({ ...settings, MONGODB_URI: set.uri });
    });
    after(async () => {
      expect(await program.stop()).to.equal(0);
      await set.stop();
    });

    it('MongoDB killed and started again: not ready meanwhile, and nothing acknowledged is lost', async () => {
      const load = new Load({ urls: [program.url], keys: await addCustomers(set.uri, 12) });
      await load.acknowledges(300);
      const killed = await set.killPrimary();
      const probe = await fetch(`${program.url}/readyz`);
      expect([probe.status, await probe.json()]).to.deep.equal([
        503,
        { status: 'not_ready', parts: { mongodb: 'unavailable', panel: 'ok' } },
      ]);
      expect((await fetch(`${program.url}/healthz`)).status).to.equal(200);
      await set.restart(killed);
      const recoveredMs = await load.recovers();
      await load.acknowledges(300);
      expect((await fetch(`${program.url}/readyz`)).status).to.equal(200);
      await endInOrder('MongoDB killed and started again', { load, uri: set.uri, program, recoveredMs });
    });
  });
});
