/** The signed-in user's servers on the account page: the same answers as the API's, for the owner alone. */
import { expect } from 'chai';
import { panelServer } from '../../../server/panel/demo/attributes.ts';
import { type Account, signedIn } from '../../support/account.ts';
import { useService } from '../../support/service.ts';

const own = { server_identifier: 'a1b2c3d4' };
const foreign = { server_identifier: 'ffff0000' };

describe('servers on the account page', () => {
  const service = useService();
  let account: Account;
  let key: string;

  before(async () => {
    const user = await service.addUser({ panelUserId: 7 });
    account = await signedIn(service.url, user);
    ({ secret: key } = await service.addKey({ user }));
    service.panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]);
    service.panel.servers.set(8, [panelServer({ identifier: 'ffff0000' })]);
  });
  beforeEach(() => service.panel.forget());

  const api = async (path = '') => (await service.call('GET', `/servers/a1b2c3d4${path}`, { key })).body;

  it('are listed as the API shows each of them', async () => {
    const { server } = await api();
    expect((await account.api.servers.list.query()).servers).to.deep.equal([server]);
    expect(await account.api.servers.resources.query(own)).to.deep.equal(await api('/resources'));
    expect(await account.api.servers.backups.query(own)).to.deep.equal(await api('/backups'));
  });

  it('take a power signal and a backup, which the audit names', async () => {
    await account.api.servers.power.mutate({ ...own, signal: 'restart' });
    expect(service.panel.signals).to.deep.equal(['a1b2c3d4 restart']);
    const { backup } = await account.api.servers.createBackup.mutate({ ...own, name: 'Before the update' });
    expect(backup.name).to.equal('Before the update');
    await service.flushAudit();
    const entries = await service.connection.collection('audit_entries').find().toArray();
    const writes = entries.filter(({ operation }) => /^servers\.(power|createBackup)$/.test(operation));
    expect(writes.map(({ operation, target }) => [operation, target])).to.deep.equal([
      ['servers.power', 'a1b2c3d4'],
      ['servers.createBackup', 'a1b2c3d4'],
    ]);
  });

  it("answer 404 for another user's server, before the panel hears of it", async () => {
    for (const call of [
      () => account.api.servers.resources.query(foreign),
      () => account.api.servers.backups.query(foreign),
      () => account.api.servers.power.mutate({ ...foreign, signal: 'stop' }),
      () => account.api.servers.createBackup.mutate(foreign),
    ]) {
      const failure = await call().then(
        () => null,
        (error: { data: { code: string } }) => error,
      );
      expect(failure?.data.code).to.equal('not_found');
    }
    expect(service.panel.requests.filter(({ path }) => path.includes('ffff0000'))).to.deep.equal([]);
  });

  it('answer 401 to a visitor who is not signed in', async () => {
    await account.api.session.signOut.mutate();
    expect((await account.call('servers.list')).status).to.equal(401);
  });
});
