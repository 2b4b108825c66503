/** Players on a customer's servers, on the account page, in a browser. */

import { useAccountPage, waitForCount, waitForTexts } from '../../support/account-page.ts';
import { type Game, startBedrock, startMinecraft } from '../../support/games.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { startTestService } from '../../support/service.ts';

/** A server whose game players reach at a port of this machine. */
function serverAt(port: number, identifier: string, name: string) {
  const attributes = { id: 11, ip: '127.0.0.1', alias: null, port, notes: null, assigned: true };
  const allocations = { object: 'list', data: [{ object: 'allocation', attributes }] };
  return panelServer({
    id: port,
    identifier,
    uuid: identifier,
    name,
    allocation: 11,
    relationships: { allocations },
  });
}

describe('players on the account page', () => {
  // On a busy machine, a page may take longer to appear than a panel may take to answer.
  const patient = { readTimeoutMs: 60_000, readTotalMs: 60_000 };
  const at = useAccountPage(() => startTestService({ panel: patient }));
  const games: Game[] = [];

  before(async () => {
    const sample = ['Alex', '<b>Steve</b>'].map((name, id) => ({ name, id: String(id) }));
    games.push(await startMinecraft({ online: 2, max: 20, sample }), await startBedrock(3, 10));
  });
  after(() => Promise.all(games.map((game) => game.stop())));

  /** A customer with this many servers, of which the first three run: two with games, one where nothing answers. */
  async function own(count: number): Promise<void> {
    at.user = await at.service.addUser({ panelUserId: 7 });
    const ports = [...games.map(({ port }) => port), 1];
    const names = ['Survival', 'Pocket', 'Silent', 'Lobby', 'Proxy', 'Arena', 'Museum', 'Skyblock'];
    const servers = names
      .slice(0, count)
      .map((name, index) => serverAt(ports[index] ?? index + 1, `a1b2c3d${index}`, name));
    at.service.panel.servers.set(7, servers);
    for (const [index, { identifier }] of servers.entries())
      at.service.panel.runStates.set(String(identifier), index < 3 ? 'running' : 'offline');
    at.service.panel.forget();
    at.service.clock.advance(60_000); // past all caches
  }

  it("are counted in the list, and named as text on a server's page", async () => {
    await own(4);
    await at.arrive('/account#servers');
    const server = (name: string) => at.entries('Servers').filter({ hasText: name });
    const players = (name: string) => server(name).getByText('players');
    await server('Survival').getByText('2 of 20 players').waitFor();
    await server('Pocket').getByText('3 of 10 players').waitFor();
    await server('Lobby').getByText('offline').waitFor();
    for (const name of ['Silent', 'Lobby']) await waitForCount(players(name), 0);
    await at.link('Survival').click();
    await waitForTexts(at.entries('Players'), ['Alex', '<b>Steve</b>']);
    await at.see('2 of 20');
    await at.page.getByRole('img', { name: 'Players in the last hour: 2 to 2' }).waitFor();
    await at.isFit();
  });

  it('disappear from the page of a server that has stopped, whose chart keeps their limit', async () => {
    await own(1);
    await at.arrive('/account/servers/a1b2c3d0');
    await waitForCount(at.entries('Players'), 2);
    await at.choose('Stop Survival', 'Survival');
    at.service.panel.runStates.set('a1b2c3d0', 'offline');
    await at.inDialog('Stop server').click();
    await waitForCount(at.entries('Players'), 0);
    await at.page.getByRole('figure').filter({ hasText: 'Players' }).filter({ hasText: '– of 20' }).waitFor();
  });

  it("are unknown, as the page says, if the server's game does not answer", async () => {
    await own(3);
    await at.arrive('/account/servers/a1b2c3d2');
    await at.see('The players are not known. The game did not answer.');
    await waitForCount(at.page.getByText('Players', { exact: true }), 0);
  });

  it('fit in the lines of many servers at each width', async () => {
    await own(8);
    await at.arrive('/account#servers');
    const line = at.entries('Servers').filter({ hasText: 'Survival' });
    await line.getByText('2 of 20 players').waitFor();
    for (const width of [360, 1280]) {
      await at.page.setViewportSize({ width, height: 740 });
      await at.fitsWidth();
      await line.getByText('running').waitFor();
    }
  });
});
