/** Sending a power signal: once, with the client key, to exactly the server that was named. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { powerSignals } from '../../../routers/ports.ts';
import { panelServer } from '../../support/stand-in-panel.ts';
import { identifier, ownerId, type PanelTest, refusalOf, startPanelTest } from './start.ts';

describe('the panel client: power', () => {
  let test: PanelTest;
  beforeEach(async () => {
    test = await startPanelTest();
  });
  afterEach(() => test.stop());

  for (const signal of powerSignals)
    it(`hands ${signal} to the panel with the client key, under our request id`, async () => {
      await test.panel.sendPower(identifier, signal, 'req-9');
      const { method, path, headers, body } = test.standIn.requests[0] ?? expect.fail();
      expect({ method, path, body: JSON.parse(body) }).to.deep.equal({
        method: 'POST',
        path: `/api/client/servers/${identifier}/power`,
        body: { signal },
      });
      expect(headers).to.include({
        authorization: `Bearer ${test.standIn.clientKey}`,
        accept: 'application/json',
        'x-request-id': 'req-9',
      });
      expect(headers).not.to.have.property('cookie');
      expect(test.standIn.signals).to.deep.equal([`${identifier} ${signal}`]);
    });

  describe('keeps a connection for as long as no panel would close it', () => {
    const powerRestMs = 100;
    const connections = () => new Set(test.standIn.requests.map(({ port }) => port)).size;
    beforeEach(async () => {
      await test.stop();
      test = await startPanelTest({ powerRestMs });
    });

    it('signals that follow each other share one', async () => {
      for (let count = 0; count < 3; count += 1) await test.power();
      expect(connections()).to.equal(1);
    });

    it('one that has rested longer is not used again, however long its last answer took', async () => {
      test.standIn.respondNext({ after: delay(3 * powerRestMs) });
      await test.power();
      await delay(3 * powerRestMs);
      await test.power();
      expect(connections()).to.equal(2);
    });

    it('one that the panel has closed is not used again', async () => {
      await test.power();
      test.standIn.closeResting();
      await delay(powerRestMs / 2);
      await test.power();
      expect(connections()).to.equal(2);
      expect(test.standIn.signals).to.have.lengthOf(2);
    });
  });

  it('404 not_found: the panel no longer has the server', async () => {
    const { status, apiCode, message } = await refusalOf(test.power('deadbeef'));
    expect({ status, apiCode, message }).to.deep.equal({
      status: 404,
      apiCode: 'not_found',
      message: 'Server not found',
    });
  });

  for (const weird of ['', '.', '..', '\ud800'])
    it(`404 not_found, and not a word to the panel: ${JSON.stringify(weird)} as identifier`, async () => {
      expect((await refusalOf(test.power(weird))).apiCode).to.equal('not_found');
      expect(test.standIn.requests).to.have.lengthOf(0);
    });

  it('reaches the server named, whatever characters the name is made of', async () => {
    const hostile = fc.constantFrom(
      '../../application',
      'a/b',
      'a?x=1',
      'a#b',
      '%2e%2e',
      '..\\',
      'a\r\nHost: x',
      'ä b',
    );
    const any = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(hostile, any), async (name) => {
        fc.pre(name !== '.' && name !== '..');
        test.standIn.servers.set(ownerId, [panelServer({ identifier: name })]);
        test.standIn.forget();
        await test.power(name);
        expect(test.standIn.requests).to.have.lengthOf(1);
        const segments = test.standIn.requests[0]?.path.split('/') ?? [];
        expect(segments).to.have.lengthOf(6);
        expect(decodeURIComponent(segments[4] ?? '')).to.equal(name);
      }),
      { numRuns: 60 },
    );
  });

  const failures = ['reset', { status: 500 }, { status: 502, body: '<html>' }, { status: 429 }] as const;
  for (const failure of failures)
    it(`is never repeated: after ${JSON.stringify(failure)} the panel has seen one request`, async () => {
      test.standIn.respondWith(failure);
      expect((await refusalOf(test.power())).apiCode).to.equal('upstream_error');
      expect(test.standIn.requests).to.have.lengthOf(1);
    });

  it('is never repeated: after no answer in time the panel has seen one request', async () => {
    await test.stop();
    test = await startPanelTest({ powerTimeoutMs: 50 });
    test.standIn.respondWith('hang');
    expect((await refusalOf(test.power())).apiCode).to.equal('upstream_error');
    expect(test.standIn.requests).to.have.lengthOf(1);
  });

  it('counts only 204 as accepted', async () => {
    test.standIn.respondNext({ status: 200, body: '<html>Welcome</html>' });
    expect((await refusalOf(test.power())).apiCode).to.equal('upstream_error');
  });
});
