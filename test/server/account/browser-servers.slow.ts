/** The servers of a customer on the account page, in a browser. */
import { expect } from 'chai';
import { consoleErrorOf, useAccountPage, waitForCount } from '../../support/account-page.ts';
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
    await server().getByText('Memory 561 MiB of 512 MiB').waitFor();
    const attributes = { id: 11, ip: '2001:db8::7', alias: '', port: 25_565, notes: null, assigned: true };
    const allocations = { object: 'list', data: [{ object: 'allocation', attributes }] };
    const ofIpv6 = panelServer({ identifier: id, name: 'Survival', relationships: { allocations } });
    at.service.panel.servers.set(7, [ofIpv6]);
    at.service.clock.advance(60_000); // past all caches
    await at.page.reload();
    await server().getByText('[2001:db8::7]:25565').waitFor();
  });

  it('show the icon of their game from the catalog, or else the first letter of their name', async () => {
    const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"/>')}`;
    const { secret: key } = await at.service.addKey({ user: await at.service.addUser({ isAdmin: true }) });
    const body = { title: 'Rust', icon };
    expect((await at.service.call('PUT', '/admin/games/rust', { key, body })).status).to.equal(201);
    const container = { startup_command: './RustDedicated', image: 'ghcr.io/images/games', environment: {} };
    const servers = [
      panelServer({ id: 1, identifier: id, name: 'Survival', container }),
      panelServer({ id: 2, identifier: 'b1b2c3d4', name: 'émeraude' }),
    ];
    at.service.panel.servers.set(7, servers);
    at.service.clock.advance(60_000); // past all caches
    await open();
    await server().locator(`img[src="${icon}"]`).waitFor();
    await at.entries('Servers').filter({ hasText: 'émeraude' }).locator('svg text').getByText('É').waitFor();
  });

  it("stop after a confirmation that names the server, and soon show the panel's state", async () => {
    await open();
    await at.choose('Stop Survival', 'Survival');
    await at.heading('Stop Survival?').waitFor();
    await at.button('Cancel').click();
    expect(at.service.panel.signals).to.deep.equal([]);
    await at.choose('Stop Survival', 'Survival');
    at.service.panel.runStates.set(id, 'stopping');
    await at.inDialog('Stop server').click();
    await server().getByText('stopping').waitFor();
    expect(at.service.panel.signals).to.deep.equal([`${id} stop`]);
    at.service.panel.runStates.set(id, 'offline');
    await server().getByText('offline').waitFor();
    await at.button('Start Survival').waitFor();
    await waitForCount(at.button('Restart Survival'), 0);
    await at.hasFocus(at.button('More actions for Survival'));
  });

  for (const path of ['/account#servers', `/account/servers/${id}`])
    it(`keep their buttons in place while they stop and start, at ${path}`, async () => {
      await at.arrive(path);
      const buttons = () =>
        Promise.all(
          [at.button(/^(Start|Restart) Survival$/), at.button('More actions for Survival')].map((each) =>
            each.boundingBox(),
          ),
        );
      await at.button('Restart Survival').waitFor();
      const places = await buttons();
      const { secret: key } = await at.service.addKey({ user: at.user });
      for (const [state, main] of [
        ['stopping', 'Restart Survival'],
        ['offline', 'Start Survival'],
        ['starting', 'Start Survival'],
      ] as const) {
        at.service.panel.runStates.set(id, state);
        await at.service.call('POST', `/servers/${id}/power`, { key, body: { signal: 'stop' } });
        await at.page.getByText(state, { exact: true }).waitFor();
        await at.button(main).waitFor();
        expect(await buttons(), state).to.deep.equal(places);
        const isOff = (await at.button(main).getAttribute('aria-disabled')) === 'true';
        expect(isOff, state).to.equal(state !== 'offline');
      }
      await at.button('Start Survival').click({ force: true });
      await waitForCount(at.dialog(), 0);
      await at.isFit();
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
    await waitForCount(at.button(/^(Start|Restart) Survival$/), 0);
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

  it('can be searched, filtered by state and sorted from eight on, and open one at a time', async () => {
    const names = ['Survival', 'Creative', 'Lobby', 'Skyblock', 'Proxy', 'Arena', 'Museum', longHebrew];
    const servers = names.map((name, index) =>
      panelServer({ id: index + 1, identifier: `a1b2c3d${index}`, name }),
    );
    at.service.panel.servers.set(7, servers);
    at.service.panel.runStates.set('a1b2c3d0', 'running');
    at.service.panel.runStates.set('a1b2c3d5', 'offline');
    await open();
    const rows = at.entries('Servers');
    const named = (name: string) => rows.filter({ hasText: name });
    await named('Arena').getByText('offline').waitFor();
    await waitForCount(rows, 8);
    const list = at.page.getByRole('list', { name: 'Servers' });
    for (const [width, lineHeight] of [
      [360, 220],
      [1280, 80],
    ] as const) {
      await at.page.setViewportSize({ width, height: 740 });
      await at.fitsWidth();
      const height = await list.evaluate((list) => list.clientHeight);
      expect(height, 'of eight servers').to.be.below(8 * lineHeight);
      await at.page.locator('a:dir(rtl)', { hasText: longHebrew }).waitFor();
    }
    const states = at.page.getByLabel('Show servers by state');
    await states.selectOption('offline (1)');
    await waitForCount(rows, 1);
    await states.selectOption('All states');
    await at.page.getByLabel('Sort servers').selectOption('By state');
    await rows.last().getByRole('link', { name: 'Arena' }).waitFor();
    await at.page.getByLabel('Sort servers').selectOption('By name');
    await rows.first().getByRole('link', { name: 'Arena' }).waitFor();
    const search = at.page.getByLabel('Search your servers by name or address');
    await search.fill('moon');
    await at.heading('No server matches').waitFor();
    await search.fill('lob');
    await at.see('1 of 8 servers');
    await at.link('Lobby').click();
    await at.page.getByRole('heading', { name: 'Lobby', level: 1 }).waitFor();
    await at.button('Restart Lobby').waitFor();
    await at.page.goBack();
    await at.page.locator('a:focus').getByText('Lobby').waitFor();
  });

  it('are 30 without a request of the page or the panel more than for their states', async () => {
    const { panel } = at.service;
    const ids = Array.from({ length: 30 }, (_, index) => `a1b2c3${10 + index}`);
    const servers = ids.map((identifier, index) =>
      panelServer({ id: index + 1, identifier, uuid: identifier, name: `Survival ${index}` }),
    );
    panel.servers.set(7, servers);
    for (const identifier of ids) panel.runStates.set(identifier, 'running');
    const asked: string[] = [];
    at.page.on('request', (request) => asked.push(request.url()));
    await at.arrive('/account#servers');
    await waitForCount(at.entries('Servers').filter({ hasText: '561 MiB' }), 30);
    expect(asked.filter((url) => url.includes('servers.resources'))).to.deep.equal([]);
    expect(asked.filter((url) => url.includes('figures%22%3Atrue'))).to.have.length(1);
    const ofResources = panel.requests.filter(({ path }) => path.endsWith('/resources'));
    expect(ofResources).to.have.length(30);
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
