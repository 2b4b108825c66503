/** Power signals: sent once, with the client key, to exactly the named server. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { panelServer } from '../../support/panel/attributes.ts';
import { identifier, located, ownerId, refusalOf, usePanelTest } from './start-panel-test.ts';

describe("the panel client's power signal", () => {
  const test = usePanelTest();

  it('is sent with the client key and our request id', async () => {
    await test.panel.sendPower(located(identifier), 'stop', 'req-9');
    const { method, path, headers, body } = test.standIn.requests[0] ?? expect.fail();
    expect({ method, path, body: JSON.parse(body) }).to.deep.equal({
      method: 'POST',
      path: `/api/client/servers/${identifier}/power`,
      body: { signal: 'stop' },
    });
    expect(headers).to.include({
      authorization: `Bearer ${test.standIn.clientKey}`,
      accept: 'application/json',
      'x-request-id': 'req-9',
    });
    expect(headers).not.to.have.property('cookie');
    expect(test.standIn.signals).to.deep.equal([`${identifier} stop`]);
  });

  describe('over a connection', () => {
    const clientIdleMs = 100;
    const test = usePanelTest({ clientIdleMs });
    const connections = () => new Set(test.standIn.requests.map(({ port }) => port)).size;

    it('reuses an open one for consecutive signals', async () => {
      for (let count = 0; count < 3; count += 1) await test.power();
      expect(connections()).to.equal(1);
    });

    it('never reuses one that was idle beyond the limit, however slow the last response was', async () => {
      test.standIn.respondNext({ after: delay(3 * clientIdleMs) });
      await test.power();
      await delay(3 * clientIdleMs);
      await test.power();
      expect(connections()).to.equal(2);
    });

    it('never reuses one that the panel closed', async () => {
      await test.power();
      test.standIn.closeResting();
      await delay(clientIdleMs / 2);
      await test.power();
      expect(connections()).to.equal(2);
      expect(test.standIn.signals).to.have.lengthOf(2);
    });
  });

  for (const weird of ['', '.', '..', '\ud800'])
    it(`fails with 404 not_found without a call to the panel: identifier ${JSON.stringify(weird)}`, async () => {
      expect((await refusalOf(test.power(weird))).apiCode).to.equal('not_found');
      expect(test.standIn.requests).to.have.lengthOf(0);
    });

  it('reaches exactly the named server, whatever characters its identifier has', async () => {
    const parts = ['../../application', 'a/b', 'a?x=1', 'a#b', '%2e%2e', '..\\', 'a\r\nHost: x', 'ä b'];
    const hostile = fc.constantFrom(...parts);
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

  it('is never retried, and a time-out follows one request', async () => {
    const { power } = test.createClient({ clientTimeoutMs: 100 });
    test.standIn.respondWith('hang');
    expect((await refusalOf(power())).apiCode).to.equal('upstream_error');
    expect(test.standIn.requests).to.have.lengthOf(1);
  });

  it('counts as accepted only after a 204', async () => {
    test.standIn.respondNext({ status: 200, body: '<html>Welcome</html>' });
    expect((await refusalOf(test.power())).apiCode).to.equal('upstream_error');
  });
});
