/** The servers of a customer on the account page, in a browser. */
import { expect } from 'chai';
import { consoleErrorOf, useAccountPage, waitForCount, waitForTexts } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { startTestService } from '../../support/service.ts';

const id = 'a1b2c3d4';

/** Longer than a line and cut at its left end. */
const longHebrew = 'שרת '.repeat(40).trim();

describe('servers on the account page', () => {
  // On a busy machine, a page may take longer to appear than a panel may take to answer.
  const patient = { readTimeoutMs: 60_000, readTotalMs: 60_000 };
  const at = useAccountPage(() => startTestService({ panel: patient }));
  const server = () => at.entries('Servers').filter({ hasText: 'Survival' });

  beforeEach(async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    at.service.panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    at.service.panel.runStates.set(id, 'running');
    at.service.panel.forget();
    at.service.clock.advance(60_000); // past all caches
  });

  async function open(): Promise<void> {
    await at.arrive('/account#servers');
    await server().waitFor();
  }

  it('show name, state, address and figures, with an IPv6 address in brackets', async () => {
    await open();
    await server().getByText('running').waitFor();
    await server().getByText('play.host.example:25565').waitFor();
    await server().getByText('561 MiB of 512 MiB').waitFor();
    const attributes = { id: 11, ip: '2001:db8::7', alias: '', port: 25_565, notes: null, assigned: true };
    const allocations = { object: 'list', data: [{ object: 'allocation', attributes }] };
    const ofIpv6 = panelServer({ identifier: id, name: 'Survival', relationships: { allocations } });
    at.service.panel.servers.set(7, [ofIpv6]);
    at.service.clock.advance(60_000); // past all caches
    await at.page.reload();
    await server().getByText('[2001:db8::7]:25565').waitFor();
  });

  it("stop after a confirmation that names the server, and soon show the panel's state", async () => {
    await open();
    await at.button('Stop Survival').click();
    await at.heading('Stop Survival?').waitFor();
    await at.button('Cancel').click();
    expect(at.service.panel.signals).to.deep.equal([]);
    await at.button('Stop Survival').click();
    at.service.panel.runStates.set(id, 'stopping');
    await at.inDialog('Stop server').click();
    await server().getByText('stopping').waitFor();
    expect(at.service.panel.signals).to.deep.equal([`${id} stop`]);
    at.service.panel.runStates.set(id, 'offline');
    await server().getByText('offline').waitFor();
    await at.button('Start Survival').waitFor();
    await waitForCount(at.button('Stop Survival'), 0);
    await at.hasFocus(at.heading('Survival'));
  });

  it('soon show the effect of a signal sent elsewhere', async () => {
    await open();
    await server().getByText('running').waitFor();
    const { secret: key } = await at.service.addKey({ user: at.user });
    at.service.panel.runStates.set(id, 'offline');
    await at.service.call('POST', `/servers/${id}/power`, { key, body: { signal: 'stop' } });
    await server().getByText('offline').waitFor({ timeout: 10_000 });
    await at.button('Start Survival').waitFor();
  });

  it('explain why the panel refused a signal, and stay unchanged', async () => {
    at.expected = [consoleErrorOf(502, 'Bad Gateway')];
    await open();
    await at.button('Restart Survival').click();
    at.service.panel.respondNext({
      status: 409,
      body: { errors: [{ code: 'ServerStateConflictException' }] },
    });
    await at.inDialog('Restart server').click();
    await at.dialog().locator('.notice.is-danger:focus').waitFor();
    expect(at.service.panel.signals).to.deep.equal([]);
  });

  it('that are suspended say so and offer no power signal until that ends', async () => {
    at.service.panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival', suspended: true })]);
    await at.page.clock.install();
    await open();
    await server().getByText('suspended', { exact: true }).waitFor();
    await server().getByText('Open a ticket to ask why.').waitFor();
    await waitForCount(at.button('Start Survival'), 0);
    at.service.panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    at.service.clock.advance(60_000);
    await at.page.clock.runFor(20_000);
    await server().getByText('running').waitFor();
  });

  it('select their address if the browser forbids copying it', async () => {
    await open();
    await at.page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())');
    await at.button('Copy the address of Survival').click();
    await at.see('Press Ctrl+C to copy the address');
    await eventually(async () =>
      expect(await at.page.evaluate('String(getSelection())')).to.equal('play.host.example:25565'),
    );
  });

  it('have one line each from eight on, with a search and a filter by state, and open one at a time', async () => {
    const names = ['Survival', 'Creative', 'Lobby', 'Skyblock', 'Proxy', 'Arena', 'Museum', longHebrew];
    const servers = names.map((name, index) =>
      panelServer({ id: index + 1, identifier: `a1b2c3d${index}`, name }),
    );
    at.service.panel.servers.set(7, servers);
    at.service.panel.runStates.set('a1b2c3d0', 'running');
    at.service.panel.runStates.set('a1b2c3d5', 'offline');
    const asked: string[] = [];
    at.page.on('request', (request) => asked.push(request.url()));
    await open();
    const rows = at.entries('Servers');
    await rows.filter({ hasText: 'Arena' }).getByText('offline').waitFor();
    await waitForCount(rows, 8);
    const ofStates = asked.filter((url) => url.includes('servers.states'));
    expect(ofStates.filter((url) => !decodeURIComponent(url).includes('"figures":true'))).to.have.length(1);
    expect(asked.filter((url) => url.includes('servers.resources'))).to.deep.equal([]);
    const search = at.page.getByLabel('Search your servers by name or address');
    const states = at.page.getByLabel('Show servers by state');
    for (const width of [360, 1280]) {
      await at.page.setViewportSize({ width, height: 740 });
      await at.fitsWidth();
      const list = at.page.getByRole('list', { name: 'Servers' });
      const height = await list.evaluate((list) => list.clientHeight);
      expect(height, 'of eight lines').to.be.below(8 * 80);
      await at.page.locator('a:dir(rtl)', { hasText: longHebrew }).waitFor();
    }
    await states.selectOption('offline (1)');
    await waitForTexts(rows, ['Arenaplay.host.example:25565offline']);
    await states.selectOption('All states');
    await search.fill('moon');
    await at.heading('No server matches').waitFor();
    await search.fill('lob');
    await at.see('1 of 8 servers');
    await at.link('Lobby').click();
    await at.page.getByRole('heading', { name: 'Lobby', level: 1 }).waitFor();
    await at.button('Stop Lobby').waitFor();
    await at.page.goBack();
    await at.page.locator('a:focus').getByText('Lobby').waitFor();
  });

  it('are requested again automatically after the panel has failed', async () => {
    at.expected = [consoleErrorOf(502, 'Bad Gateway')];
    await at.page.clock.install();
    at.service.panel.failWith(500, 'Whoops');
    await at.arrive('/account#servers');
    await at.button('Try again').waitFor();
    at.service.panel.recover();
    at.service.clock.advance(60_000);
    await at.page.clock.runFor(15_000);
    await server().waitFor();
  });
});
