/** The signed-in user's servers on the account page: the same answers as the API's. */
import { expect } from 'chai';
import { panelServer } from '../../../server/panel/demo/attributes.ts';
import { signedIn } from '../../support/account.ts';
import { useService } from '../../support/service.ts';

const server_identifier = 'a1b2c3d4';

describe('servers on the account page', () => {
  const service = useService();

  it('are listed as the API shows each of them, and take a power signal and a backup, which the audit names', async () => {
    const user = await service.addUser({ panelUserId: 7 });
    service.panel.servers.set(7, [panelServer({ identifier: server_identifier })]);
    const { secret: key } = await service.addKey({ user });
    const ofApi = async (path = '') =>
      (await service.call('GET', `/servers/${server_identifier}${path}`, { key })).body;
    const { servers } = (await signedIn(service.url, user)).api;

    expect((await servers.list.query()).servers).to.deep.equal([(await ofApi()).server]);
    expect(await servers.resources.query({ server_identifier })).to.deep.equal(await ofApi('/resources'));
    expect(await servers.backups.list.query({ server_identifier })).to.deep.equal(await ofApi('/backups'));

    await servers.power.mutate({ server_identifier, signal: 'restart' });
    expect(service.panel.signals).to.deep.equal([`${server_identifier} restart`]);
    const { backup } = await servers.backups.create.mutate({ server_identifier, name: 'Before the update' });
    expect(backup.name).to.equal('Before the update');
    const [second, first] = await service.models.auditEntries.list({ userId: user._id, limit: 2 });
    expect(first).to.include({ operation: 'servers.power', target: server_identifier });
    expect(second).to.include({ operation: 'servers.backups.create', target: server_identifier });
  });
});
