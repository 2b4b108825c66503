/** All our callers share one limit at the panel: how lists are shared, and how long they are kept. */
import { expect } from 'chai';
import { panelServer } from '../../support/stand-in-panel.ts';
import { identifier, ownerId, type PanelTest, refusalOf, startPanelTest } from './start.ts';

describe('the panel client: sharing lists', () => {
  let test: PanelTest;
  beforeEach(async () => {
    test = await startPanelTest({ listTtlMs: 5_000, listsMax: 3 });
  });
  afterEach(() => test.stop());

  const requestCount = () => test.standIn.requests.length;

  it('makes one call for all who ask for the same user at the same time', async () => {
    const lists = await Promise.all(Array.from({ length: 50 }, () => test.list()));
    expect(requestCount()).to.equal(1);
    for (const list of lists) expect(list[0]?.identifier).to.equal(identifier);
  });

  it("never hands one user another's list", async () => {
    test.standIn.servers.set(8, [panelServer({ identifier: 'eeeeeeee' })]);
    const [mine, theirs] = await Promise.all([test.list(ownerId), test.list(8)]);
    expect([mine?.[0]?.identifier, theirs?.[0]?.identifier]).to.deep.equal([identifier, 'eeeeeeee']);
    expect((await test.list(8))[0]?.identifier).to.equal('eeeeeeee');
  });

  it('serves a list again for five seconds, and not one millisecond longer', async () => {
    await test.list();
    test.advance(4_999);
    await test.list();
    expect(requestCount()).to.equal(1);
    test.advance(1);
    await test.list();
    expect(requestCount()).to.equal(2);
  });

  it('counts the age of a list from the question, not from the answer', async () => {
    let release = () => {};
    test.standIn.respondNext({
      after: new Promise<void>((resolve) => {
        release = resolve;
      }),
    });
    const slow = test.list();
    test.advance(4_999);
    release();
    await slow;
    test.advance(1);
    await test.list();
    expect(requestCount()).to.equal(2);
  });

  it('asks again when the clock was set back', async () => {
    await test.list();
    test.advance(-3_600_000);
    await test.list();
    expect(requestCount()).to.equal(2);
  });

  it('shares a failure among those who wait for it, and remembers none', async () => {
    test.standIn.respondNext({ status: 422 });
    const refusals = await Promise.all([1, 2, 3].map(() => refusalOf(test.list())));
    expect(new Set(refusals)).to.have.lengthOf(3);
    expect(requestCount()).to.equal(1);
    expect(await test.list()).to.have.lengthOf(1);
    expect(requestCount()).to.equal(2);
  });

  it('alerts the operator once for all who waited for a refused key', async () => {
    test.standIn.respondNext({ status: 401 });
    await Promise.all([1, 2, 3].map(() => refusalOf(test.list())));
    expect(test.logged.map(({ fields, message }) => ({ fields, message }))).to.deep.equal([
      {
        fields: { api: 'application', requestId: 'req-1', status: 401 },
        message: 'The panel refused our key: check that it is valid and has the permissions it needs',
      },
    ]);
  });

  it('remembers no more lists than it may: the oldest goes first', async () => {
    for (const userId of [1, 2, 3, 4]) await test.list(userId);
    test.standIn.forget();
    await test.list(2);
    expect(requestCount()).to.equal(0);
    await test.list(1);
    expect(requestCount()).to.equal(1);
  });

  it('keeps power apart: a signal neither asks for a list nor spoils one', async () => {
    await test.list();
    await test.power();
    await test.list();
    expect(test.standIn.requests.map(({ method }) => method)).to.deep.equal(['GET', 'POST']);
  });
});
