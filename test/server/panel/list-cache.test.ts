/** All our callers share the panel's rate limit: concurrent lists are coalesced and cached for seconds. */
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { createHold, identifier, refusalOf, usePanelTest } from './start-panel-test.ts';

describe("the panel client's list cache", () => {
  const test = usePanelTest({ listTtlMs: 5_000, listsMax: 3 });

  const requestCount = () => test.standIn.requests.length;

  it('coalesces concurrent calls for one user', async () => {
    const lists = await Promise.all(Array.from({ length: 50 }, () => test.list()));
    expect(requestCount()).to.equal(1);
    for (const list of lists) expect(list[0]?.identifier).to.equal(identifier);
  });

  it('serves a list from cache for exactly five seconds', async () => {
    await test.list();
    test.advance(4_999);
    await test.list();
    expect(requestCount()).to.equal(1);
    test.advance(1);
    await test.list();
    expect(requestCount()).to.equal(2);
  });

  it('counts the age of a list from the request, not the response', async () => {
    const { after, release } = createHold();
    test.standIn.respondNext({ after });
    const slow = test.list();
    await eventually(async () => expect(requestCount()).to.equal(1));
    test.advance(4_999);
    release();
    await slow;
    test.advance(1);
    await test.list();
    expect(requestCount()).to.equal(2);
  });

  it('loads lists again if the clock was set back', async () => {
    await test.list();
    test.advance(-3_600_000);
    await test.list();
    expect(requestCount()).to.equal(2);
  });

  it('shares a failure with the calls that wait for it, and does not cache it', async () => {
    test.standIn.respondNext({ status: 422 });
    const refusals = await Promise.all([1, 2, 3].map(() => refusalOf(test.list())));
    expect(new Set(refusals)).to.have.lengthOf(3);
    expect(requestCount()).to.equal(1);
    expect(await test.list()).to.have.lengthOf(1);
    expect(requestCount()).to.equal(2);
  });

  it('alerts the operator once for coalesced calls if the panel refuses our key', async () => {
    test.standIn.respondNext({ status: 401 });
    await Promise.all([1, 2, 3].map(() => refusalOf(test.list())));
    expect(test.logged.map(({ fields }) => fields)).to.deep.equal([
      {
        ...{ api: 'application', requestId: 'req-1', status: 401 },
        target: `${test.standIn.url}/api/application/users/7`,
      },
    ]);
  });

  it('evicts the least recently used lists beyond its maximum', async () => {
    for (const userId of [1, 2, 3, 4]) await test.list(userId);
    test.standIn.forget();
    await test.list(4);
    expect(requestCount()).to.equal(0);
    await test.list(1);
    expect(requestCount()).to.equal(1);
  });
});
