/** Reads while no write reaches a majority of MongoDB's members: they need none. */
import { expect } from 'chai';
import { TestReplicaSet } from '../support/replica-set.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('a service whose MongoDB has no majority for writes', () => {
  let set: TestReplicaSet;
  let service: TestService;

  before(async () => {
    set = await TestReplicaSet.start();
    service = await startTestService({ databaseUri: set.uri });
  });
  after(async () => {
    await service.stop();
    await set.stop();
  });

  it('200: answers the first read of a key, and its first after a minute', async () => {
    const { secret: key } = await service.addKey();
    const release = await set.lockSecondaries();
    try {
      expect((await service.call('GET', '/me', { key })).status).to.equal(200);
      service.clock.advance(61_000);
      expect((await service.call('GET', '/me', { key })).status).to.equal(200);
    } finally {
      await release();
    }
  });
});
