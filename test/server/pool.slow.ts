/** A call that gets no MongoDB connection in time is refused as overload, never as a fault. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { startTestService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

describe('a service with all MongoDB connections in use', () => {
  const poolSize = 5;
  const service = useStarted(() => {
    const uri = new URL(testDatabaseUri());
    uri.searchParams.set('maxPoolSize', String(poolSize));
    uri.searchParams.set('waitQueueTimeoutMS', '1000');
    return startTestService({ databaseUri: uri.href });
  });

  it('answers 503 overloaded with Retry-After, and serves again once one is free', async () => {
    const { secret: key } = await service.addKey();
    const pool = service.connection.getClient();
    const busy = pool.db(service.connection.name).collection('users');
    const slow = { $where: 'sleep(4000) || true' };
    const isDone = Promise.all(Array.from({ length: poolSize }, () => busy.findOne(slow)));
    const refused = await service.call('GET', '/me', { key });
    expectError(refused, 'overloaded', 'The database is busy; retry in 1 s');
    expect(refused.headers.get('Retry-After')).to.equal('1');
    await isDone;
    expect((await service.call('GET', '/me', { key })).status).to.equal(200);
  });
});
