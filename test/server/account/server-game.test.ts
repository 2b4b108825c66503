/** The game of each server in the account page's list, whose icon the page shows. */
import { expect } from 'chai';
import { signInAccount } from '../../support/account.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { sampleGame } from '../../support/samples.ts';
import { useService } from '../../support/service.ts';

const titled = (title: string) => ({ ...sampleGame, _id: title.toLowerCase().replaceAll(' ', '-'), title });

describe('the game of a server on the account page', () => {
  const service = useService();
  let panelUserId = 7;

  async function list(servers: ReturnType<typeof panelServer>[]) {
    panelUserId += 1;
    service.panel.servers.set(panelUserId, servers);
    const { api } = await signInAccount(service.url, await service.addUser({ panelUserId }));
    const startedAt = performance.now();
    const games = (await api.servers.list.query()).servers.map(({ game }) => game?.title ?? null);
    return { games, ms: performance.now() - startedAt };
  }

  it('is the one that its program names, else the longest title in its name or description', async () => {
    await service.models.games.import(['Minecraft', 'Minecraft Bedrock', 'Rust'].map(titled));
    const rust = { startup_command: './RustDedicated', image: 'games:rust' };
    const other = { startup_command: './server', image: 'debian' };
    const { games } = await list([
      panelServer({ id: 1, identifier: 'a', name: 'Not Minecraft', container: rust }),
      panelServer({ id: 2, identifier: 'b', name: 'My minecraft bedrock!', container: other }),
      panelServer({ id: 3, identifier: 'c', name: 'Trust', description: 'crusty', container: other }),
    ]);
    expect(games).to.deep.equal(['Rust', 'Minecraft Bedrock', null]);
  });

  it('is found without holding up the process, however long the catalog and the descriptions are', async () => {
    await service.models.games.import(
      Array.from({ length: 1000 }, (_, index) => titled(`The game ${index}`)),
    );
    const servers = Array.from({ length: 100 }, (_, id) =>
      panelServer({ id, identifier: `s${id}`, uuid: `s${id}`, description: 'a word '.repeat(200) }),
    );
    const { games, ms } = await list(servers);
    expect(games).to.have.lengthOf(100);
    expect(ms).to.be.below(2500);
  });
});
