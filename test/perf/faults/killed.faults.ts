/** MongoDB or the service is killed under load: acknowledged writes are stored once and audited, after a short time of 5xx. */
import { expect } from 'chai';
import { testDatabaseUri } from '../../support/mongo.ts';
import { TestReplicaSet } from '../../support/replica-set.ts';
import { useStarted } from '../../support/use-started.ts';
import { addCustomers } from '../customers.ts';
import { startFleet } from './fleet.ts';
import { survive } from './load.ts';

async function startOn(uri: string, processes = 1) {
  const program = await startFleet(processes, { MONGODB_URI: uri });
  return {
    ...program,
    survive: async (fault: string, breakIt: Parameters<typeof survive>[2]) =>
      survive(fault, { uri, program, urls: program.urls, keys: await addCustomers(uri, 12) }, breakIt),
  };
}

describe('the service under load', () => {
  describe('with one process', () => {
    const service = useStarted(() => startOn(testDatabaseUri()));

    it('keeps and audits every acknowledged write exactly once when it is killed and restarted', () =>
      service.survive('the service killed and started again', async () => {
        await service.kill(0);
        await service.restart(0);
      }));
  });

  describe('with two processes', () => {
    const service = useStarted(() => startOn(testDatabaseUri(), 2));

    it('continues in the other process when one is killed, and finishes its writes once', () =>
      service.survive('one of two processes killed', async () => {
        await service.kill(0);
      }));
  });

  describe('with MongoDB on three machines', () => {
    const set = useStarted(() => TestReplicaSet.start({ members: 3 }));
    const service = useStarted(() => startOn(set.uri));

    for (let round = 1; round <= 3; round += 1)
      it(`keeps every acknowledged write exactly once when the primary is killed (${round})`, () =>
        service.survive(`MongoDB's primary killed (${round})`, async () => {
          const killed = await set.killPrimary();
          return () => set.restart(killed);
        }));
  });

  describe('with MongoDB on one machine', () => {
    const set = useStarted(() => TestReplicaSet.start({ members: 1 }));
    const service = useStarted(() => startOn(set.uri));
    const probe = async (path: string) => {
      const response = await fetch(`${service.urls[0]}${path}`);
      return [response.status, await response.json()];
    };

    it('reports not ready and loses no acknowledged write when MongoDB is killed and restarted', () =>
      service.survive('MongoDB killed and started again', async () => {
        const killed = await set.killPrimary();
        const parts = { mongodb: 'unavailable', panel: 'ok' };
        expect(await probe('/readyz')).to.deep.equal([503, { status: 'not_ready', parts }]);
        expect((await probe('/healthz'))[0]).to.equal(200);
        await set.restart(killed);
      }));
  });
});
