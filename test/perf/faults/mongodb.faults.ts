/** MongoDB breaking under load: whatever was acknowledged is there, once, and all that happens in between is a short 5xx. */
import { expect } from 'chai';
import { startProgram } from '../../support/program.ts';
import { TestReplicaSet } from '../../support/replica-set.ts';
import { useStarted } from '../../support/use-started.ts';
import { addCustomers } from '../customers.ts';
import { Load } from './load.ts';
import { endInOrder } from './verdict.ts';

/** A service on a replica set of its own. */
async function startOnSet(members: number) {
  const set = await TestReplicaSet.start({ members });
  const program = await startProgram({
    RATE_LIMIT_PER_MINUTE: '1000000',
    TICKETS_PER_DAY: '0',
    MONGODB_URI: set.uri,
  });
  return {
    ...{ set, program, uri: set.uri },
    startLoad: async () => new Load({ urls: [program.url], keys: await addCustomers(set.uri, 12) }),
    async stop() {
      expect(await program.stop()).to.equal(0);
      await set.stop();
    },
  };
}

describe('under load', () => {
  describe('with MongoDB on three machines', () => {
    const service = useStarted(() => startOnSet(3));

    for (let round = 1; round <= 3; round += 1)
      it(`the primary killed: nothing acknowledged is lost, nothing is done twice (${round})`, async () => {
        const { set, uri, program } = service;
        const load = await service.startLoad();
        await load.acknowledges(300);
        const killed = await set.killPrimary();
        const recoveredMs = await load.recovers();
        await load.acknowledges(300);
        await set.restart(killed);
        await load.acknowledges(300);
        await endInOrder(`MongoDB's primary killed (${round})`, { load, uri, program, recoveredMs });
      });
  });

  describe('with MongoDB on one machine', () => {
    const service = useStarted(() => startOnSet(1));

    it('MongoDB killed and started again: not ready meanwhile, and nothing acknowledged is lost', async () => {
      const { set, uri, program } = service;
      const load = await service.startLoad();
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
      await endInOrder('MongoDB killed and started again', { load, uri, program, recoveredMs });
    });
  });
});
