/** Panel failures outside the table: a 502 with our message, and the cause only in the log. */
import { expect } from 'chai';
import { PanelFailure } from '../../../server/panel/failures.ts';
import { failed, notAvailable, unreadable } from './failure-rows.ts';
import { refusalOf, usePanelTest } from './start-panel-test.ts';

describe('the panel client', () => {
  const test = usePanelTest();

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

  it('fails with 502 upstream_error when the panel times out', async () => {
    const { list, power } = test.createClient({ readTimeoutMs: 50, clientTimeoutMs: 50 });
    test.standIn.respondWith('hang');
    await assertRefused(list(), 'The panel did not answer in time; try again later');
    await assertRefused(
      power(),
      'The machine that hosts the server did not answer in time; the signal may or may not have been carried out',
    );
    expect(test.standIn.requests).to.have.lengthOf(2);
  });

  it('fails with 502 upstream_error when the connection is refused', async () => {
    await test.standIn.stop();
    await assertRefused(test.list(), 'The panel could not be reached; try again later');
    await assertRefused(test.power(), 'The panel could not be reached; try again later');
  });

  it('fails with 502 upstream_error when the application key cannot read servers', async () => {
    const servers = { object: 'null_resource', attributes: null };
    test.standIn.respondWith({ body: { object: 'user', attributes: { id: 7, relationships: { servers } } } });
    await assertRefused(test.list(), notAvailable.message);
    expect(test.logged).to.have.lengthOf(1);
  });

  it('fails with 502 upstream_error when a server of the list lacks its uuid', async () => {
    test.standIn.servers.get(7)?.push({ ...test.standIn.servers.get(7)?.[0], uuid: null } as never);
    await assertRefused(test.list(), unreadable.message);
  });

  it('does not follow redirects', async () => {
    const Location = `${test.standIn.url}/api/application/users/7?include=servers.allocations`;
    test.standIn.respondNext({ status: 302, headers: { Location } }, { status: 307, headers: { Location } });
    await assertRefused(test.list(), notAvailable.message);
    await assertRefused(test.power(), notAvailable.message);
    expect(test.standIn.requests).to.have.lengthOf(2);
  });

  it('requests no compression, and does not decompress', async () => {
    const gzipped = {
      status: 200,
      headers: { 'Content-Encoding': 'gzip' },
      body: Buffer.from('not gzip at all'),
    };
    test.standIn.respondNext(gzipped);
    await assertRefused(test.list(), unreadable.message);
    expect(test.standIn.requests[0]?.headers['accept-encoding']).to.equal('identity');
  });

  it('keeps the panel’s code and a shortened detail for the log', async () => {
    test.standIn.failWith(500, 'QueryException', { detail: 'x'.repeat(10_000) });
    const { cause } = await assertRefused(test.list(), failed.message);
    expect((cause as PanelFailure).details).to.deep.equal({
      status: 500,
      upstreamCode: 'QueryException',
      upstreamDetail: 'x'.repeat(300),
    });
  });
});
