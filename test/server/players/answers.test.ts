/** Answers of games: the number of players without bots, and names if the game sends names of players. */
import { expect } from 'chai';
import { startBedrock, startMinecraft, startSource } from '../../support/games.ts';
import { useServerWithGames } from '../../support/server-with-games.ts';

describe('the players of a Source game', () => {
  const { play, playersAt } = useServerWithGames();
  const shown = async (...game: Parameters<typeof startSource>) => {
    const { online, max, names } = await playersAt(await play(startSource(...game)));
    return { online, max, names };
  };

  it('have no names if bots are among them', async () => {
    const names = ['gaben', 'Bot Ken', 'Bot Joe'];
    const bots = { players: 3, bots: 2, max: 16, names };
    expect(await shown(bots)).to.deep.equal({ online: 1, max: 16, names: null });
    const others = ['gaben', 'Alyx', 'Bot Ken', 'Bot Joe', 'Bot Eli'];
    const beside = { players: 2, bots: 3, max: 16, names: others };
    expect(await shown(beside)).to.deep.equal({ online: 2, max: 16, names: null });
  });

  it('are all counted if the game has more bots than players', async () => {
    const beside = { players: 2, bots: 3, max: 16, names: ['gaben', 'Alyx'] };
    expect(await shown(beside)).to.deep.equal({ online: 2, max: 16, names: ['gaben', 'Alyx'] });
  });

  it('are none if only bots play', async () => {
    const bots = { players: 2, bots: 2, max: 16, names: ['Bot Ken', 'Bot Joe'] };
    expect(await shown(bots)).to.deep.equal({ online: 0, max: 16, names: [] });
  });

  it('have no names if the game sends none, empty ones or a placeholder', async () => {
    for (const names of [[], ['', '', ''], ['Max Players'], null]) {
      const told = { players: 3, max: 16, names };
      expect(await shown(told), JSON.stringify(names)).to.deep.equal({ online: 3, max: 16, names: null });
    }
    const joining = { players: 3, max: 16, names: ['gaben', '', 'Alyx'] };
    expect((await shown(joining)).names).to.deep.equal(['gaben', 'Alyx']);
  });

  it('are an empty list if no one plays', async () => {
    for (const names of [[], null])
      expect(await shown({ players: 0, max: 16, names })).to.deep.equal({ online: 0, max: 16, names: [] });
  });

  it('number more than 255 if its tags say so, as in Rust', async () => {
    const byte = { players: 487 % 256, max: 800 % 256, names: null };
    const tags = 'mp800,cp487,ptrak,qp12,$r?,v2592,born1700000000,gmrust';
    for (const extra of [{ tags }, { tags, port: 28_015 }])
      expect(await shown(byte, { extra })).to.deep.equal({ online: 487, max: 800, names: null });
    for (const other of ['cp', 'cp487', 'xmp800,xcp487', 'mp,cp'])
      expect(await shown(byte, { extra: { tags: other } }), other).to.include({ online: 231, max: 32 });
  });
});

describe('the players of a Minecraft game', () => {
  const { play, playersAt } = useServerWithGames();

  it('have no names if the game sends none, and are an empty list only if no one plays', async () => {
    for (const sample of [undefined, null, [], [{ name: '' }]]) {
      const game = await play(startMinecraft({ online: 2, max: 20, sample }));
      expect(await playersAt(game), JSON.stringify(sample)).to.include({ online: 2, names: null });
    }
    for (const sample of [undefined, []]) {
      const { names } = await playersAt(await play(startMinecraft({ online: 0, max: 20, sample })));
      expect(names).to.deep.equal([]);
    }
  });

  it('have names without formatting codes', async () => {
    const sample = [
      '\u00a7aAlex\u00a7r',
      '\u00a7x\u00a7f\u00a70\u00a70\u00a7f\u00a70\u00a70Steve',
      '\u00a7l\u00a7r',
      'Notch\u00a7',
    ];
    const players = { online: 4, max: 20, sample: sample.map((name) => ({ name })) };
    const { names } = await playersAt(await play(startMinecraft(players)));
    expect(names).to.deep.equal(['Alex', 'Steve', 'Notch']);
  });

  it('are shown if its status lists hundreds of mods', async () => {
    const mods = Array.from({ length: 700 }, (_, index) => ({ modId: `mod${index}`, modmarker: '1' }));
    const channels = [{ res: 'a:players', version: '{"players":{"online":9}}', required: true }];
    const forgeData = { channels, mods, fmlNetworkVersion: 3 };
    expect(JSON.stringify(forgeData).length).to.be.within(20_000, 32_000);
    const players = { online: 2, max: 20, sample: [{ name: 'Alex' }, { name: 'a"b\\' }] };
    const { measured_at, ...shown } = await playersAt(await play(startMinecraft(players, { forgeData })));
    expect(shown).to.deep.equal({ online: 2, max: 20, names: ['Alex', 'a"b\\'], reason: null });
  });
});

describe('the players of a Bedrock game', () => {
  const { play, playersAt } = useServerWithGames();

  it('are counted for any semicolons and numbers in its name', async () => {
    for (const name of ['Fun; for; all', 'Lobby;1', '7;8;9;10', ';', '', 'A \\; server'])
      expect(await playersAt(await play(startBedrock(3, 10, name))), name).to.include({ online: 3, max: 10 });
  });
});
