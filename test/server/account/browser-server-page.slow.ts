/** The page of a server on the account page, in a browser: state, charts, console, backups, tickets and its address. */
import { expect } from 'chai';
import { panelBackup, panelServer } from '../../../server/panel/demo/attributes.ts';
import { dialogOf, refusal, signIn, stageAccountPage } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestService } from '../../support/service.ts';
import { signedUrl } from '../../support/signed-links.ts';

const id = 'a1b2c3d4';
const address = `/account/servers/${id}`;

describe('the page of a server', () => {
  // A busy machine may take longer to show a page than a panel may take to answer.
  const patient = { readTimeoutMs: 60_000, readTotalMs: 60_000 };
  const at = stageAccountPage(() => startTestService({ panel: patient }));
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });
  const part = (name: string) =>
    at.page.getByRole('navigation', { name: 'Server' }).getByRole('link', { name });
  const chart = (name: string | RegExp) => at.page.getByRole('img', { name });

  beforeEach(async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    const { panel } = at.service;
    panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    panel.servers.set(8, [panelServer({ identifier: 'b1b2c3d4', name: 'Of another', uuid: 'b' })]);
    panel.runStates.set(id, 'running');
    panel.consoleLines.set(id, ['[12:00] Starting', '[12:01] <b>Done</b>']);
    panel.backups.clear();
    panel.forget();
    at.service.clock.advance(60_000); // past every cache
  });

  async function open(path = address): Promise<void> {
    await at.page.goto(path);
    await signIn(at.page, at.user.email);
    await at.page.getByRole('heading', { name: 'Survival', level: 1 }).waitFor();
  }

  it('is reached from the list, shows the state, and charts from the fifth measurement on', async () => {
    await at.page.clock.install();
    await at.page.goto('/account#servers');
    await signIn(at.page, at.user.email);
    await at.page.getByRole('link', { name: 'Survival', exact: true }).focus();
    await at.page.keyboard.press('Enter');
    await at.page.locator('h1:focus').getByText('Survival').waitFor();
    expect(new URL(at.page.url()).pathname).to.equal(address);
    await at.page.getByText('12 %').waitFor();
    expect(await chart(/in the last hour/).count()).to.equal(0);
    await eventually(async () => {
      at.service.clock.advance(20_000);
      await at.page.clock.runFor(20_000);
      await chart('CPU in the last hour: 12 % to 12 %').waitFor({ timeout: 500 });
    });
    await chart(/State in the last hour: running \d min/).waitFor();
    at.service.panel.runStates.set(id, 'offline');
    await button('Stop Survival').click();
    await dialogOf(at.page).getByRole('button', { name: 'Stop server' }).click();
    await eventually(async () => {
      await at.page.clock.runFor(2000);
      await chart('CPU in the last hour: 0 % to 12 %').waitFor({ timeout: 500 });
    });
    await chart(/State in the last hour: running \d min, offline \d min/).waitFor();
    await at.page.goBack();
    await at.page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
  });

  it('has an address for each part, which lasts over a reload, and leads back', async () => {
    await open(`${address}/backups`);
    await at.page.getByText('No backups yet').waitFor();
    await part('Console').click();
    await at.page.getByText('[12:00] Starting').waitFor();
    await at.page.reload();
    await at.page.getByText('[12:00] Starting').waitFor();
    await at.page.goBack();
    await at.page.getByText('No backups yet').waitFor();
    await at.page.getByRole('link', { name: 'API keys' }).click();
    await at.page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(at.page.url()).to.equal(`${at.service.url}/account#keys`);
    await at.page.goBack();
    await at.page.getByText('No backups yet').waitFor();
    await at.page.goto(`/account#servers/${id}`);
    await part('Overview').and(at.page.locator('[aria-current]')).waitFor();
    expect(new URL(at.page.url()).pathname).to.equal(address);
  });

  for (const [what, identifier] of [
    ['of another user', 'b1b2c3d4'],
    ['that does not exist', 'ffffffff'],
  ])
    it(`says of a server ${what} that there is none, and asks for nothing of it`, async () => {
      const asked: string[] = [];
      at.page.on('request', (request) => asked.push(request.url()));
      await at.page.goto(`/account/servers/${identifier}/files`);
      await signIn(at.page, at.user.email);
      await at.page.getByRole('heading', { name: 'No such server' }).waitFor();
      const said = await at.page.getByRole('main').textContent();
      expect(said).to.equal('No such serverNone of your servers has this address. All servers');
      expect(asked.filter((url) => url.includes('/trpc/') && url.includes(`${identifier}`))).to.deep.equal(
        [],
      );
    });

  it('shows lines of the console as text, adds what comes, and takes commands', async () => {
    await at.page.clock.install();
    await open(`${address}/console`);
    const lines = at.page.getByRole('group', { name: 'Console of Survival' }).locator('div');
    await eventually(async () =>
      expect(await lines.allTextContents()).to.deep.equal(['[12:00] Starting', '[12:01] <b>Done</b>']),
    );
    await at.page.getByLabel('Command').fill('say hello');
    await at.page.keyboard.press('Enter');
    await eventually(async () => expect(at.service.panel.commands).to.deep.equal([`${id} say hello`]));
    await eventually(async () => expect(await at.page.getByLabel('Command').inputValue()).to.equal(''));
    at.service.panel.consoleLines.set(id, ['[12:01] <b>Done</b>', '[12:02] [Server] hello']);
    at.service.clock.advance(10_000);
    await at.page.clock.runFor(6_000);
    await eventually(async () =>
      expect(await lines.allTextContents()).to.deep.equal([
        '[12:00] Starting',
        '[12:01] <b>Done</b>',
        '[12:02] [Server] hello',
      ]),
    );
  });

  it('says of the console of a server that is off where to look, and why a command is refused', async () => {
    at.expected = [refusal(400, 'Bad Request')];
    at.service.panel.runStates.set(id, 'offline');
    await open(`${address}/console`);
    await at.page.getByLabel('Command').fill('say hello');
    await button('Send').click();
    await at.page.getByRole('alert').getByText('not running').waitFor();
    expect(at.service.panel.commands).to.deep.equal([]);
    await at.page.getByRole('link', { name: 'its files' }).click();
    await at.page.getByRole('link', { name: 'server.properties' }).waitFor();
  });

  it('creates a backup, shows its progress, downloads, restores and deletes it', async () => {
    const { panel } = at.service;
    await open(`${address}/backups`);
    await button('Create a backup of Survival').click();
    await dialogOf(at.page).getByLabel('Name').fill('Before the update');
    await dialogOf(at.page).getByRole('button', { name: 'Create backup' }).click();
    const backup = at.page.getByRole('list', { name: 'Backups of Survival' }).getByText('Before the update');
    await backup.waitFor();
    await at.page.getByText('in progress').waitFor();
    const [stored] = panel.backups.get(id) ?? [];
    Object.assign(stored ?? {}, { completed_at: '2026-05-01T12:01:00+00:00', is_successful: true });
    await at.page.getByText('in progress').waitFor({ state: 'detached' });
    await at.page.getByText('1 of 2').waitFor();

    await at.page.route(signedUrl, (route) => route.fulfill({ status: 204 }));
    await button('Download Before the update').click();
    await eventually(async () => expect(at.visitor.strayRequests).to.deep.equal([signedUrl]));
    at.visitor.strayRequests.length = 0;

    await at.page.getByText('Stop the server to restore a backup').waitFor();
    expect(await button('Restore Before the update').count()).to.equal(0);
    panel.runStates.set(id, 'offline');
    at.service.clock.advance(60_000);
    await at.page.reload();
    await button('Restore Before the update').click();
    await dialogOf(at.page).getByText('This cannot be undone').waitFor();
    await dialogOf(at.page).getByLabel('Delete all files of the server first').check();
    const archive = panel.downloads.admit(JSON.stringify([panelServer().uuid, '/server.properties']));
    panel.nodeScript.archiveUrl = `${panel.url}/download/file?token=${archive}`;
    await dialogOf(at.page).getByRole('button', { name: 'Restore backup' }).click();
    await at.page.getByText('is being restored').waitFor();
    const restore = panel.requests.find(({ path }) => path.endsWith('/restore'));
    expect(restore?.body).to.equal(JSON.stringify({ truncate: true }));
    panel.restores.length = 0;
    panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    at.service.clock.advance(60_000);

    await button('Delete Before the update').click();
    await dialogOf(at.page).getByText('This cannot be undone').waitFor();
    await dialogOf(at.page).getByRole('button', { name: 'Delete backup' }).click();
    await at.page.getByText('No backups yet').waitFor();
    expect(panel.backups.get(id)).to.deep.equal([]);
  });

  it('says at once that the server has all the backups it may have', async () => {
    at.service.panel.backups.set(id, [panelBackup({ uuid: 'one' }), panelBackup({ uuid: 'two' })]);
    await open(`${address}/backups`);
    await at.page.getByText('2 of 2').waitFor();
    await button('Create a backup of Survival').click();
    await dialogOf(at.page).getByText('has all 2 backups it may have').waitFor();
    expect(await dialogOf(at.page).getByLabel('Name').count()).to.equal(0);
  });

  it('lists the tickets about the server alone, and opens another one', async () => {
    await open(`${address}/tickets`);
    await at.page.getByText('No tickets about it').waitFor();
    const about = { serviceName: 'Survival', serviceReference: id, serviceType: null };
    const ticket = { userId: at.user._id, keyId: '', text: 'Help', now: new Date() };
    await at.service.models.tickets.open({ ...ticket, ...about, subject: 'It lags' });
    await at.service.models.tickets.open({
      ...ticket,
      ...{ subject: 'Refund', serviceName: null, serviceReference: null, serviceType: null },
    });
    await at.page.reload();
    const tickets = at.page.getByRole('list', { name: 'Tickets about Survival' }).getByRole('link');
    await eventually(async () => expect(await tickets.allTextContents()).to.deep.equal(['It lags']));
    await button('Open a ticket about Survival').click();
    await dialogOf(at.page).getByLabel('Subject').fill('Cannot join');
    await dialogOf(at.page).getByLabel('Message').fill('Since noon.');
    await dialogOf(at.page).getByRole('button', { name: 'Open ticket' }).click();
    await at.page.getByRole('heading', { name: 'Cannot join' }).waitFor();
    expect(new URL(at.page.url()).pathname).to.equal('/account');
  });
});

describe('the page of a server where commands are off', () => {
  const at = stageAccountPage(() => startTestService({ config: { hasConsoleCommands: false } }));

  it('shows the console without a command line', async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    at.service.panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    at.service.panel.consoleLines.set(id, ['[12:00] Starting']);
    await at.page.goto(`${address}/console`);
    await signIn(at.page, at.user.email);
    await at.page.getByText('[12:00] Starting').waitFor();
    expect(await at.page.getByLabel('Command').count()).to.equal(0);
  });
});
