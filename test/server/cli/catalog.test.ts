/** game import: a file is imported completely or not at all. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createCli } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { useService } from '../../support/service.ts';

const plan = {
  title: 'Iron',
  subtitle: '',
  price: '9.99',
  period: 'month',
  popular: true,
  features: ['6 GB memory'],
  billingId: 'price_1',
};
const game = {
  slug: 'minecraft',
  title: 'Minecraft',
  description: 'Blocks.',
  shortDesc: 'Blocks',
  category: 'Sandbox',
  icon: '/icon.svg',
  cover: null,
  banner: null,
  pricingBackground: null,
  priceFrom: '9.99',
  plans: [plan],
};

describe('npm run cli -- game import', () => {
  const service = useService();
  let cli: ReturnType<typeof createCli>;
  let key: string;
  let dir: string;

  before(async () => {
    cli = createCli({ MONGODB_URI: service.databaseUri });
    key = (await service.addKey()).secret;
    dir = await mkdtemp(join(tmpdir(), 'gamehost-cli-'));
  });
  after(async () => {
    await rm(dir, { recursive: true });
  });

  async function fileWith(content: unknown, name = 'games.json'): Promise<string> {
    const path = join(dir, name);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }
  const imported = async (content: unknown) => cli.json(['game', 'import', await fileWith(content)]);
  const shown = async () => (await service.call('GET', '/catalog/games', { key })).body.games;

  it('adds and replaces games by slug and leaves other games as they are', async () => {
    expect(await imported([game, { slug: 'rust', title: 'Rust' }])).to.deep.equal({ added: 2, replaced: 0 });
    const [minecraft, rust] = await eventually(async () => {
      const games = await shown();
      expect(games).to.have.length(2);
      return games;
    });
    expect(minecraft).to.deep.equal(game);
    expect(rust).to.include({ slug: 'rust', description: null }).and.deep.include({ plans: [] });

    const renamed = { ...game, title: 'Minecraft 2', plans: [] };
    const hidden = { slug: 'ark', title: 'ARK', active: false };
    const path = await fileWith(`\ufeff${JSON.stringify([renamed, hidden])}`);
    expect(await cli.text(['game', 'import', path])).to.equal('Imported 2 games: 1 added, 1 replaced.\n');
    await eventually(async () => expect(await shown()).to.deep.equal([renamed, rust]));
    const single = await fileWith([hidden]);
    expect(await cli.text(['game', 'import', single])).to.equal('Imported 1 game: 0 added, 1 replaced.\n');
    expect((await service.call('GET', '/catalog/games/ark', { key })).status).to.equal(404);
  });

  it('changes nothing and names every mistake by game, field and rule when a file has any', async () => {
    const before = await shown();
    const path = await fileWith([
      { slug: 'valheim', title: 'Valheim' },
      { slug: '../etc', title: ' ', shortdesc: 'x' },
      { ...game, plans: [plan, { ...plan, price: 9.99, popular: 'yes', feature: [] }] },
      { slug: 'valheim', title: 'Valheim again' },
      'rust',
      { title: 'No slug', description: 'a\0b' },
    ]);
    const message = await cli.refusal(['game', 'import', path]);
    const [heading, ...places] = message.split('\n').map((line) => line.trim());
    expect(heading).to.match(/games\.json was not imported \(games are counted from 0\):$/);
    expect(places).to.have.members([
      'game 1.slug must be 1 to 100 letters, digits, dots, underscores and hyphens, beginning with a letter or digit',
      'game 1.title must not be empty',
      'game 1.shortdesc is not a known field',
      'game 2.plans.1.price must be a string',
      'game 2.plans.1.popular must be true or false',
      'game 2.plans.1.feature is not a known field',
      'game 3.slug is the same as 0.slug',
      'game 4 must be an object',
      'game 5.slug is required',
      'game 5.description must not contain NUL characters',
    ]);
    expect(await shown()).to.deep.equal(before);
  });

  it('refuses a file that is not a JSON array', async () => {
    const paths = [
      await fileWith({ games: [game] }, 'object'),
      await fileWith('[{"slug":\n', 'half'),
      join(dir, 'none'),
    ];
    const [object, half, none] = await cli.refusals(paths.map((path) => ['game', 'import', path]));
    expect(object).to.match(/object is not a JSON array of games$/);
    expect(half).to.match(/half is not JSON: .*JSON/);
    expect(none).to.match(/there is no file/);
  });
});
