/** Listing a user's servers: the request sent, and which fields of the response pass. */
import { expect } from 'chai';
import { panelServer } from '../../support/panel/attributes.ts';
import { userWithServers } from '../../support/panel/emulator.ts';
import { ownerId, refusalOf, usePanelTest } from './start-panel-test.ts';

describe("the panel client's server list", () => {
  const test = usePanelTest();

  it('takes one request with the application key, our request id and no cookies', async () => {
    await test.list();
    expect(test.standIn.requests).to.have.lengthOf(1);
    const { method, path, headers } = test.standIn.requests[0] ?? expect.fail();
    expect({ method, path }).to.deep.equal({
      method: 'GET',
      path: '/api/application/users/7?include=servers.allocations',
    });
    expect(headers).to.include({
      authorization: `Bearer ${test.standIn.applicationKey}`,
      accept: 'application/json',
      'x-request-id': 'req-1',
    });
    expect(headers).not.to.have.property('cookie');
  });

  it('warns once about a linked panel user that no longer exists, by its id', async () => {
    expect(await test.list(99)).to.deep.equal([]);
    test.advance(60_000);
    expect(await test.list(99)).to.deep.equal([]);
    expect(test.logged).to.deep.equal([
      {
        level: 'warn',
        fields: { panelUserId: 99 },
        message:
          'The panel has no user 99 any more: the user linked to it here has no servers until you link them to another panel user',
      },
    ]);
  });

  it('is requested again after a lost connection and a 5xx', async () => {
    test.standIn.respondNext('reset', { status: 503 });
    expect(await test.list()).to.have.lengthOf(1);
    expect(test.standIn.requests).to.have.lengthOf(3);
  });

  it('fails after two retries', async () => {
    test.standIn.respondWith({ status: 500 });
    expect((await refusalOf(test.list())).message).to.equal('The panel failed; try again later');
    expect(test.standIn.requests).to.have.lengthOf(3);
  });

  it('fails when the total time for all attempts is over', async () => {
    const { list } = test.createClient({ readTimeoutMs: 60_000, readTotalMs: 500 });
    test.standIn.respondNext('reset', { status: 500 }, 'hang');
    const refusal = await refusalOf(list());
    expect(refusal.message).to.equal('The panel did not answer in time; try again later');
    expect(test.standIn.requests).to.have.lengthOf(3);
  });

  it('shows the public address in panel_url if it is set', async () => {
    const { list } = test.createClient({ publicUrl: 'https://me:secret@panel.example/games/' });
    const [server] = await list();
    expect(server?.panelUrl).to.match(/^https:\/\/panel\.example\/games\/server\//);
  });

  it('leaves a password in the configured URL out of panel_url, and supports a base path', async () => {
    const url = `${test.standIn.url.replace('//', '//admin:hunter2@')}/panel/`;
    const { list } = test.createClient({ url });
    test.standIn.respondNext({ body: userWithServers(ownerId, [panelServer({ identifier: 'a b/..' })]) });
    const [server] = await list();
    expect(server?.panelUrl).to.equal(`${test.standIn.url}/panel/server/a%20b%2F..`);
    const { path, headers } = test.standIn.requests[0] ?? expect.fail();
    expect(path).to.equal('/panel/api/application/users/7?include=servers.allocations');
    expect(headers.authorization).to.equal(`Bearer ${test.standIn.applicationKey}`);
  });
});
