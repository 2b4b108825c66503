/** Broken connections to MongoDB: a read is repeated, then refused as not done, and a write may have happened. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { startTestService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

describe('a service whose connections to MongoDB break', () => {
  let line: FlakyProxy;
  const service = useStarted(async () => {
    line = await openFlakyProxy(testDatabaseUri());
    return startTestService({ databaseUri: line.uri });
  });
  after(() => line.close());
  let key: string;

  before(async () => {
    ({ secret: key } = await service.addKey());
  });
  afterEach(() => line.breakAt('', 0));

  it('answers a read with 200 after two breaks', async () => {
    line.breakAt('api_keys', 2);
    expect((await service.call('GET', '/me', { key })).status).to.equal(200);
    expect(line.breaksLeft()).to.equal(0);
  });

  for (const [what, path, collection] of [
    ['the key cannot be looked up', '/me', 'api_keys'],
    ['a batched read gets no reply', '/tickets', 'tickets'],
    ["a read by the driver's cursor gets no reply", '/subscriptions', 'subscriptions'],
  ] as const)
    it(`answers 503 overloaded with Retry-After and does nothing if ${what}`, async () => {
      line.breakAt(collection, Number.MAX_SAFE_INTEGER);
      const answer = await service.call('GET', path, { key });
      expectError(answer, 'overloaded', 'The database cannot be reached; retry in 1 s');
      expect(answer.headers.get('Retry-After')).to.equal('1');
    });

  it('answers 503 overloaded with Retry-After to a write that may have happened, because its reply was lost', async () => {
    line.breakAt('insert', Number.MAX_SAFE_INTEGER);
    const answer = await service.call('POST', '/tickets', { key, body: { title: 'Lag', message: 'Lag' } });
    const mayBeDone =
      'a write may have happened anyway: retry in 1 s with the same Idempotency-Key, or look first';
    expectError(answer, 'overloaded', `The database cannot be reached; ${mayBeDone}`);
    expect(answer.headers.get('Retry-After')).to.equal('1');
  });
});
