/** A panel that is down, or that asked us to wait, is left alone: callers are refused at once. */
import { expect } from 'chai';
import { identifier, ownerId, type PanelTest, refusalOf, startPanelTest } from './start.ts';

describe('the panel client: leaving the panel alone', () => {
  let test: PanelTest;
  let nextUser: number;
  beforeEach(async () => {
    test = await startPanelTest({ failuresMax: 3, restMs: 10_000, readRetries: 0 });
    nextUser = 1_000;
  });
  afterEach(() => test.stop());

  const requestCount = () => test.standIn.requests.length;
  /** Another user each time, so that no list is remembered. */
  const listOfAnother = () => test.list(nextUser++);
  const messageOf = async (call: Promise<unknown>) => (await refusalOf(call)).message;

  async function bringDown() {
    test.standIn.respondWith({ status: 500 });
    for (let failure = 0; failure < 3; failure += 1) await refusalOf(listOfAnother());
    test.standIn.forget();
  }

  it('refuses at once after several failures in a row, and warns in the log', async () => {
    await bringDown();
    expect(await messageOf(listOfAnother())).to.equal('The panel is unavailable; try again later');
    expect(requestCount()).to.equal(0);
    expect(test.logged.map(({ level }) => level)).to.deep.equal(['warn']);
  });

  it('tries the panel again after its rest, with one call, and is back when that succeeds', async () => {
    await bringDown();
    test.standIn.recover();
    test.advance(9_999);
    await refusalOf(listOfAnother());
    test.advance(1);
    expect(await listOfAnother()).to.deep.equal([]);
    expect(await listOfAnother()).to.deep.equal([]);
    expect(requestCount()).to.equal(2);
  });

  it('refuses the others while that one call is under way', async () => {
    await bringDown();
    test.standIn.recover();
    test.advance(10_000);
    let release = () => {};
    test.standIn.respondNext({
      after: new Promise<void>((resolve) => {
        release = resolve;
      }),
    });
    const probe = listOfAnother();
    expect(await messageOf(listOfAnother())).to.equal('The panel is unavailable; try again later');
    release();
    expect(await probe).to.deep.equal([]);
    expect(requestCount()).to.equal(1);
  });

  it('rests again when that one call fails', async () => {
    await bringDown();
    test.advance(10_000);
    expect(await messageOf(listOfAnother())).to.equal('The panel failed; try again later');
    expect(await messageOf(listOfAnother())).to.equal('The panel is unavailable; try again later');
    test.advance(9_999);
    await refusalOf(listOfAnother());
    expect(requestCount()).to.equal(1);
  });

  it('is not impressed by failures with successes between them', async () => {
    test.standIn.respondNext({ status: 500 }, { status: 500 });
    await refusalOf(listOfAnother());
    await refusalOf(listOfAnother());
    await test.list(ownerId);
    test.standIn.respondNext({ status: 500 }, { status: 500 });
    await refusalOf(listOfAnother());
    await refusalOf(listOfAnother());
    expect(await listOfAnother()).to.deep.equal([]);
  });

  const harmless = [
    [404, 'NotFoundHttpException', ''],
    [409, 'ServerStateConflictException', 'This server is currently suspended'],
    [422, 'ValidationException', ''],
    [504, 'DaemonConnectionException', 'the node of one server is unreachable'],
  ] as const;
  for (const [status, code, detail] of harmless)
    it(`stays open to all when one server gets ${status} ${code} again and again`, async () => {
      test.standIn.failWith(status, code, { detail });
      for (let failure = 0; failure < 6; failure += 1) await refusalOf(test.power());
      expect(requestCount()).to.equal(6);
    });

  it('counts power that the panel does not answer, and then refuses signals at once', async () => {
    test.standIn.respondWith('reset');
    for (let failure = 0; failure < 3; failure += 1) await refusalOf(test.power());
    expect(await messageOf(test.power())).to.equal('The panel is unavailable; try again later');
    expect(requestCount()).to.equal(3);
    test.standIn.recover();
    expect(await test.list()).to.have.lengthOf(1);
  });

  describe('when it said how long to wait', () => {
    const throttle = (retryAfter: string) =>
      test.standIn.failWith(429, 'ThrottleRequestsException', { headers: { 'Retry-After': retryAfter } });

    it('passes the seconds on, and does not call before they are over', async () => {
      throttle('30');
      expect((await refusalOf(listOfAnother())).retryAfterSeconds).to.equal(30);
      test.advance(12_500);
      const refusal = await refusalOf(listOfAnother());
      expect(refusal.retryAfterSeconds).to.equal(18);
      expect(refusal.message).to.equal('The panel is busy; try again later');
      expect(requestCount()).to.equal(1);
      test.standIn.recover();
      test.advance(17_500);
      expect(await listOfAnother()).to.deep.equal([]);
    });

    it('holds for the key that was throttled, not for the other', async () => {
      throttle('30');
      await refusalOf(listOfAnother());
      test.standIn.recover();
      await test.power();
      expect(test.standIn.signals).to.deep.equal([`${identifier} restart`]);
    });

    it('reads a date as well', async () => {
      throttle(new Date(test.now() + 45_000).toUTCString());
      expect((await refusalOf(listOfAnother())).retryAfterSeconds).to.equal(45);
    });

    it('lets no slip silence us for longer than ten minutes', async () => {
      throttle('99999999');
      expect((await refusalOf(listOfAnother())).retryAfterSeconds).to.equal(600);
    });

    for (const nonsense of ['0', '-5', 'soon', ''])
      it(`takes ${JSON.stringify(nonsense)} for no wait at all`, async () => {
        throttle(nonsense);
        expect((await refusalOf(listOfAnother())).retryAfterSeconds).to.equal(undefined);
        await refusalOf(listOfAnother());
        expect(requestCount()).to.equal(2);
      });

    it('heeds it on a 503 too, and does not retry into it', async () => {
      await test.stop();
      test = await startPanelTest({ readRetries: 2 });
      test.standIn.respondWith({
        status: 503,
        headers: { 'Retry-After': '2' },
        body: '<h1>Be right back</h1>',
      });
      expect((await refusalOf(listOfAnother())).retryAfterSeconds).to.equal(2);
      await refusalOf(listOfAnother());
      expect(requestCount()).to.equal(1);
    });

    it('does not take the wish of one node for that of the panel', async () => {
      test.standIn.failWith(503, 'DaemonConnectionException', { headers: { 'Retry-After': '60' } });
      expect((await refusalOf(test.power())).retryAfterSeconds).to.equal(undefined);
      test.standIn.recover();
      await test.power();
    });
  });
});
