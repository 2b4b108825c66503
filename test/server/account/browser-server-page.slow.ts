/** The page of a server on the account page, in a browser: state, charts, console, backups, tickets and its address. */
import { expect } from 'chai';
import { hourMs } from '../../../models/support/durations.ts';
import {
  consoleErrorOf,
  signInWithoutForm,
  useAccountPage,
  waitForTexts,
  waitForValue,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { panelBackup, panelSchedule, panelServer } from '../../support/panel/attributes.ts';
import { FileTree } from '../../support/panel/file-tree.ts';
import { startTestService } from '../../support/service.ts';
import { signedUrl } from '../../support/signed-links.ts';

const id = 'a1b2c3d4';
const address = `/account/servers/${id}`;

describe('the page of a server', () => {
  // On a busy machine, a page may take longer to appear than a panel may take to answer.
  const patient = { readTimeoutMs: 60_000, readTotalMs: 60_000 };
  const at = useAccountPage(() => startTestService({ panel: patient }));
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
    panel.schedules.clear();
    panel.files.clear();
    panel.forget();
    at.service.clock.advance(hourMs); // past all caches and samples
  });

  async function open(path = address): Promise<void> {
    await at.arrive(path);
    await at.heading('Survival').waitFor();
  }

  it('opens from the list, shows the state, and draws charts from the first measurement on', async () => {
    await at.page.clock.install();
    await at.arrive('/account#servers');
    await at.link('Survival').press('Enter');
    await at.page.locator('h1:focus').getByText('Survival').waitFor();
    expect(new URL(at.page.url()).pathname).to.equal(address);
    await at.see('12 %');
    await chart('CPU in the last hour: 12 % to 12 %').waitFor();
    await chart(/State in the last hour: running \d min/).waitFor();
    at.service.panel.runStates.set(id, 'offline');
    await at.choose('Stop Survival', 'Survival');
    await at.inDialog('Stop server').click();
    await eventually(async () => {
      await at.page.clock.runFor(2000);
      await chart('CPU in the last hour: 0 % to 12 %').waitFor({ timeout: 500 });
    });
    await chart(/State in the last hour: running \d min, offline \d min/).waitFor();
    await at.page.goBack();
    await at.page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
  });

  it('shows a new tab what an old one has seen', async () => {
    await open();
    await chart('CPU in the last hour: 12 % to 12 %').waitFor();
    at.service.panel.runStates.set(id, 'offline');
    at.service.clock.advance(5 * 60_000);
    at.page = await at.visitor.openTab(address);
    await chart('CPU in the last hour: 0 % to 12 %').waitFor();
    await chart(/State in the last hour: running 5 min, offline \d min/).waitFor();
  });

  const card = (title: string) => at.entries('Around the server').filter({ hasText: title });

  it('tells the next schedule, the last backup and the open tickets', async () => {
    const { panel, clock } = at.service;
    const inHours = (hours: number) => new Date(clock.now() + hours * hourMs + 60_000).toISOString();
    const off = panelSchedule({ id: 2, name: 'Off', is_active: false, next_run_at: inHours(1) });
    panel.schedules.set(id, [off, panelSchedule({ next_run_at: inHours(5) })]);
    const made = (name: string, hours: number, rest = {}) =>
      panelBackup({ uuid: name, name, created_at: inHours(hours), ...rest });
    panel.backups.set(id, [made('Old', -48), made('New', -24), made('Failed', -1, { is_successful: false })]);
    await at.openTicket('It lags', { about: { serviceName: 'Survival', serviceReference: id } });
    await at.openTicket('Refund');
    await open();
    await card('Next schedule').getByText('Nightly backup').waitFor();
    await card('Next schedule')
      .getByText(/^in \d hours/)
      .waitFor();
    await card('Last backup').getByText('New').waitFor();
    await card('Last backup').getByText('121 KiB').waitFor();
    await card('Tickets').getByText('It lags').waitFor();
    await card('Tickets').getByText('1 open').waitFor();
    await at.isFit();
    await at.link('Last backup').click();
    await part('Backups').and(at.page.locator('[aria-current]')).waitFor();
  });

  it('shows a dash for a list that the panel does not give, and the others anyway', async () => {
    at.expected = [consoleErrorOf(502, 'Bad Gateway')];
    at.service.panel.respondAbout('/schedules', { status: 500, body: {} });
    await open();
    await card('Next schedule').getByText('–').waitFor();
    await card('Last backup').getByText('No backup yet').waitFor();
    await card('Tickets').getByText('No open tickets').waitFor();
    at.service.panel.recover();
  });

  it('shows the last lines of the log of a server that is off, if its game writes one', async () => {
    const { panel, clock } = at.service;
    panel.runStates.set(id, 'offline');
    const log = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join('');
    panel.files.set(id, new FileTree({ '/logs/latest.log': log }, clock.now()));
    await open();
    const lines = at.page.getByRole('group', { name: 'Last lines of the log' }).locator('div');
    await waitForTexts(
      lines,
      Array.from({ length: 12 }, (_, index) => `line ${index + 29}`),
    );
    await at.link('Last lines of the log').click();
    await at.see('line 1');
    panel.files.set(id, new FileTree({}, clock.now()));
    at.expected = [consoleErrorOf(404, 'Not Found')];
    await open();
    await card('Last backup').getByText('No backup yet').waitFor();
    expect(await lines.count()).to.equal(0);
  });

  it('asks nothing about a server that is suspended', async () => {
    const { panel } = at.service;
    panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival', suspended: true })]);
    await open();
    await at.see('suspended');
    await at.see(id);
    const asked = panel.requests.filter(({ path }) => /backups|schedules|files/.test(path));
    expect(asked).to.deep.equal([]);
  });

  it('has an address for each part that survives a reload, and leads back', async () => {
    await open(`${address}/backups`);
    await at.see('No backups yet');
    await part('Console').click();
    await at.see('[12:00] Starting');
    await at.page.reload();
    await at.see('[12:00] Starting');
    await at.page.goBack();
    await at.see('No backups yet');
    await at.link('API keys').click();
    await at.heading('API keys').waitFor();
    expect(at.page.url()).to.equal(`${at.service.url}/account#keys`);
    await at.page.goBack();
    await at.see('No backups yet');
    await at.page.goto(`/account#servers/${id}`);
    await part('Overview').and(at.page.locator('[aria-current]')).waitFor();
    expect(new URL(at.page.url()).pathname).to.equal(address);
  });

  it("reports another user's server and an unknown one as missing, and requests nothing about it", async () => {
    await signInWithoutForm(at.visitor, at.user);
    const said = new Set<string | null>();
    for (const identifier of ['b1b2c3d4', 'ffffffff']) {
      const asked: string[] = [];
      at.page.on('request', (request) => asked.push(request.url()));
      await at.page.goto(`/account/servers/${identifier}/files`);
      await at.heading('No such server').waitFor();
      said.add(await at.page.getByRole('main').textContent());
      expect(asked.filter((url) => url.includes('/trpc/') && url.includes(identifier))).to.deep.equal([]);
    }
    expect(said.size, 'texts').to.equal(1);
  });

  it('shows console lines as text, adds new ones, and sends commands', async () => {
    await at.page.clock.install();
    await open(`${address}/console`);
    const lines = at.page.getByRole('group', { name: 'Console of Survival' }).locator('div');
    await waitForTexts(lines, ['[12:00] Starting', '[12:01] <b>Done</b>']);
    await at.page.getByLabel('Command').fill('say hello');
    await at.page.keyboard.press('Enter');
    await eventually(async () => expect(at.service.panel.commands).to.deep.equal([`${id} say hello`]));
    await waitForValue(at.page.getByLabel('Command'), '');
    at.service.panel.consoleLines.set(id, ['[12:01] <b>Done</b>', '[12:02] [Server] hello']);
    at.service.clock.advance(10_000);
    await at.page.clock.runFor(6_000);
    await waitForTexts(lines, ['[12:00] Starting', '[12:01] <b>Done</b>', '[12:02] [Server] hello']);
  });

  it('says where to look when the server is off, and why a command is refused', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request')];
    at.service.panel.runStates.set(id, 'offline');
    await open(`${address}/console`);
    await at.page.getByLabel('Command').fill('say hello');
    await at.button('Send').click();
    await at.page.getByRole('alert').getByText('not running').waitFor();
    expect(at.service.panel.commands).to.deep.equal([]);
    await at.link('its files').click();
    await at.link('server.properties').waitFor();
  });

  it('creates a backup, shows its progress, downloads, restores and deletes it', async () => {
    const { panel } = at.service;
    await open(`${address}/backups`);
    await at.button('Create backup of Survival').click();
    await at.field('Name').fill('Before the update');
    await at.inDialog('Create backup').click();
    const backup = at.page.getByRole('list', { name: 'Backups of Survival' }).getByText('Before the update');
    await backup.waitFor();
    await at.see('in progress');
    const [stored] = panel.backups.get(id) ?? [];
    Object.assign(stored ?? {}, { completed_at: '2026-05-01T12:01:00+00:00', is_successful: true });
    await at.page.getByText('in progress').waitFor({ state: 'detached' });
    await at.see('1 of 2');

    await at.page.route(signedUrl, (route) => route.fulfill({ status: 204 }));
    await at.button('Download Before the update').click();
    await eventually(async () => expect(at.visitor.strayRequests).to.deep.equal([signedUrl]));
    at.visitor.strayRequests.length = 0;

    await at.see('Stop the server to restore a backup');
    expect(await at.button('Restore Before the update').count()).to.equal(0);
    panel.runStates.set(id, 'offline');
    at.service.clock.advance(60_000);
    await at.page.reload();
    await at.button('Restore Before the update').click();
    await at.dialog().getByText('This cannot be undone').waitFor();
    await at.field('Delete all files of the server first').check();
    const archive = panel.issueToken('an archive', () => ({ body: 'its content' }));
    panel.nodeScript.archiveUrl = `${panel.url}/download/file?token=${archive}`;
    await at.inDialog('Restore backup').click();
    await at.see('is being restored');
    const restore = panel.requests.find(({ path }) => path.endsWith('/restore'));
    expect(restore?.body).to.equal(JSON.stringify({ truncate: true }));
    panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    at.service.clock.advance(60_000);

    await at.button('Delete Before the update').click();
    await at.dialog().getByText('This cannot be undone').waitFor();
    await at.inDialog('Delete backup').click();
    await at.see('No backups yet');
    expect(panel.backups.get(id)).to.deep.equal([]);
  });

  it('says at once that the server has its maximum of backups', async () => {
    at.service.panel.backups.set(id, [panelBackup({ uuid: 'one' }), panelBackup({ uuid: 'two' })]);
    await open(`${address}/backups`);
    await at.see('2 of 2');
    await at.button('Create backup of Survival').click();
    await at.dialog().getByText('has reached its limit of backups (2)').waitFor();
    expect(await at.field('Name').count()).to.equal(0);
  });

  it('offers nothing that must fail while a condition lasts, and says what to do', async () => {
    const { panel } = at.service;
    const asked: string[] = [];
    at.page.on('request', (request) => asked.push(request.url()));
    const isPart = (url: string) => /servers\.(console|files|backups|schedules|startup)/.test(url);
    const conditions: [attributes: object, title: string, advice: string][] = [
      [{ suspended: true }, 'The server is suspended', 'Open a ticket to ask why.'],
      [{ status: 'installing' }, 'The server is being installed', 'This ends by itself.'],
      [{ status: 'restoring_backup' }, 'The server is being restored from a backup', 'This ends by itself.'],
    ];
    for (const [attributes, title, advice] of conditions) {
      panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival', ...attributes })]);
      at.service.clock.advance(60_000);
      await at.arrive(`${address}/console`);
      for (const name of ['Console', 'Files', 'Backups', 'Schedules', 'Startup']) {
        await part(name).click();
        await part(name).and(at.page.locator('[aria-current]')).waitFor();
        await at.heading(title).waitFor();
        await at.see(advice);
      }
      expect(await at.button(/^(Try again|Start|Stop|Restart)/).count(), title).to.equal(0);
      expect(asked.filter(isPart), title).to.deep.equal([]);
      await at.isFit();
    }
    await part('Tickets').click();
    await at.see('No tickets about this server');
  });

  it('says that its machine is under maintenance, which only its state shows', async () => {
    const { conditions } = at.service.panel;
    conditions.maintainedNodes.add(1);
    await at.arrive(`${address}/tickets`);
    await at.heading('The machine of the server is under maintenance').waitFor();
    await at.page.getByText('maintenance', { exact: true }).waitFor();
    expect(await at.button(/^(Start|Restart)/).count()).to.equal(0);
    conditions.maintainedNodes.clear();
  });

  it('offers no retry where the panel says that none helps', async () => {
    at.expected = [consoleErrorOf(502, 'Bad Gateway')];
    await at.page.clock.install(); // the state of the server is not read again meanwhile
    at.service.panel.respondAbout('/backups', {
      status: 409,
      body: {
        errors: [
          { code: 'ServerStateConflictException', detail: 'This server is currently being transferred' },
        ],
      },
    });
    await open(`${address}/backups`);
    await at.see('a retry does not help until that has changed');
    expect(await at.button('Try again').count()).to.equal(0);
    at.service.panel.recover();
  });

  it('has its name, address and actions in one line, close above the part', async () => {
    await at.page.setViewportSize({ width: 1280, height: 740 });
    await open(`${address}/backups`);
    const section = at.page.getByRole('region', { name: 'Backups' });
    const top = (await at.heading('Survival').boundingBox())?.y ?? 0;
    const bottom = (await section.boundingBox())?.y ?? Number.POSITIVE_INFINITY;
    expect(bottom, 'where the part begins').to.be.at.most(200);
    const line = await Promise.all(
      [at.page.getByText('play.host.example:25565'), at.button('Restart Survival')].map((each) =>
        each.boundingBox(),
      ),
    );
    for (const box of line) expect(box?.y).to.be.within(top - 10, top + 30);
  });

  it("lists only the server's tickets, and opens a new one", async () => {
    await open(`${address}/tickets`);
    await at.see('No tickets about this server');
    await at.openTicket('It lags', { about: { serviceName: 'Survival', serviceReference: id } });
    await at.openTicket('Refund');
    await at.page.reload();
    const tickets = at.page.getByRole('list', { name: 'Tickets about Survival' }).getByRole('link');
    await waitForTexts(tickets, ['It lags']);
    await at.choose('Open a ticket about Survival', 'Survival');
    await at.field('Subject').fill('Cannot join');
    await at.field('Message').fill('Since noon.');
    await at.inDialog('Open ticket').click();
    await at.heading('Cannot join').waitFor();
    expect(new URL(at.page.url()).pathname).to.equal('/account');
  });
});

describe('the page of a server where commands are off', () => {
  const at = useAccountPage(() => startTestService({ config: { hasConsoleCommands: false } }));

  it('shows the console without a command line', async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    at.service.panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    at.service.panel.consoleLines.set(id, ['[12:00] Starting']);
    await at.arrive(`${address}/console`);
    await at.see('[12:00] Starting');
    expect(await at.page.getByLabel('Command').count()).to.equal(0);
  });
});
