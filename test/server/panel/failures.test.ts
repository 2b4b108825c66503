/** Every row of the table of panel failures, for both calls: a 502 in our words, the cause for the log only. */
import { expect } from 'chai';
import { PanelFailure } from '../../../server/panel/failures.ts';
import { credentials, failed, failureRows, unreadable } from './failure-rows.ts';
import { type PanelTest, refusalOf, startPanelTest } from './start.ts';

describe('the panel client: when the panel fails', () => {
  let test: PanelTest;
  beforeEach(async () => {
    test = await startPanelTest();
  });
  afterEach(() => test.stop());

  async function assertRefused(call: Promise<unknown>, message: string) {
    const refusal = await refusalOf(call);
    expect({ apiCode: refusal.apiCode, status: refusal.status, message: refusal.message }).to.deep.equal({
      apiCode: 'upstream_error',
      status: 502,
      message,
    });
    expect(refusal.cause).to.be.instanceOf(PanelFailure);
    return refusal;
  }

  for (const { name, behaviour, message, powerMessage = message, alertsOperator = false } of failureRows) {
    it(`502 upstream_error for a list: ${name}`, async () => {
      test.standIn.respondWith(behaviour);
      await assertRefused(test.list(), message);
      expect(test.logged.some(({ level }) => level === 'error')).to.equal(alertsOperator);
    });

    it(`502 upstream_error for a signal: ${name}`, async () => {
      test.standIn.respondWith(behaviour);
      await assertRefused(test.power(), powerMessage);
      expect(test.logged.some(({ level }) => level === 'error')).to.equal(alertsOperator);
    });
  }

  it('502 upstream_error: no answer in time', async () => {
    await test.stop();
    test = await startPanelTest({ readTimeoutMs: 50, powerTimeoutMs: 50 });
    test.standIn.respondWith('hang');
    await assertRefused(test.list(), 'The panel did not answer in time; try again later');
    await assertRefused(
      test.power(),
      'The panel did not answer in time; the signal may or may not have been carried out',
    );
    expect(test.standIn.requests).to.have.lengthOf(2);
  });

  it('502 upstream_error: nobody listens at the address', async () => {
    await test.standIn.stop();
    await assertRefused(test.list(), 'The panel could not be reached; try again later');
    await assertRefused(test.power(), 'The panel could not be reached; try again later');
  });

  it('502 upstream_error: the application key may not read servers', async () => {
    const servers = { object: 'null_resource', attributes: null };
    test.standIn.respondWith({ body: { object: 'user', attributes: { id: 7, relationships: { servers } } } });
    await assertRefused(test.list(), credentials.message);
    expect(test.logged).to.have.lengthOf(1);
  });

  it('502 upstream_error: one server of the list lacks what identifies it', async () => {
    test.standIn.servers.get(7)?.push({ ...test.standIn.servers.get(7)?.[0], uuid: null } as never);
    await assertRefused(test.list(), unreadable.message);
  });

  it('does not follow a redirect, not even to a place that would answer', async () => {
    const Location = `${test.standIn.url}/api/application/users/7?include=servers`;
    test.standIn.respondNext({ status: 302, headers: { Location } }, { status: 307, headers: { Location } });
    await assertRefused(test.list(), unreadable.message);
    await assertRefused(test.power(), unreadable.powerMessage);
    expect(test.standIn.requests).to.have.lengthOf(2);
  });

  it('reads no more of a huge answer than its bound', async () => {
    await test.stop();
    test = await startPanelTest({ answerBytesMax: 100_000 });
    test.standIn.respondNext({ body: Buffer.alloc(50_000_000, ' ') });
    const { cause } = await assertRefused(test.list(), unreadable.message);
    expect((cause as PanelFailure).details).to.deep.equal({ reason: 'the answer is too long' });
  });

  it('asks for no compression, and does not unpack it', async () => {
    const gzipped = {
      status: 200,
      headers: { 'Content-Encoding': 'gzip' },
      body: Buffer.from('not gzip at all'),
    };
    test.standIn.respondNext(gzipped);
    await assertRefused(test.list(), unreadable.message);
    expect(test.standIn.requests[0]?.headers['accept-encoding']).to.equal('identity');
  });

  it('keeps for the log what the panel said, cut short', async () => {
    test.standIn.failWith(500, 'QueryException', { detail: 'x'.repeat(10_000) });
    const { cause } = await assertRefused(test.list(), failed.message);
    expect((cause as PanelFailure).details).to.deep.equal({
      status: 500,
      upstreamCode: 'QueryException',
      upstreamDetail: 'x'.repeat(300),
    });
  });
});
