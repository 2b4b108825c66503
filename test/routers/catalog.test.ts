/** The catalog shows active games with the contract's fields and no others. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { sampleGame } from '../support/samples.ts';
import { useCustomer } from '../support/use-key.ts';

const bare = {
  ...sampleGame,
  ...{ _id: 'bare', title: 'Bare', plans: [] },
  ...{ description: null, shortDesc: null, category: null, icon: null, cover: null },
  ...{ banner: null, pricingBackground: null, priceFrom: null },
};
const present = ({ _id: slug, isActive: _, ...game }: typeof sampleGame | typeof bare) => ({ slug, ...game });

describe('the catalog', () => {
  const service = useCustomer();

  beforeEach(async () => {
    await service.connection.collection('games').deleteMany({});
    await service.models.games.import([sampleGame, bare, { ...sampleGame, _id: 'gone', isActive: false }]);
  });

  const get = (path: string) => service.call('GET', `/catalog/games${path}`, { key: service.key });

  it('lists active games with their plans by title (GET /catalog/games, 200)', async () => {
    const answer = await get('');
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ games: [present(bare), present(sampleGame)] });
  });

  it('returns an empty list without active games (GET /catalog/games, 200)', async () => {
    await service.connection.collection('games').deleteMany({});
    expect((await get('')).body).to.deep.equal({ games: [] });
  });

  it('shows a game by slug (GET /catalog/games/{slug}, 200)', async () => {
    const answer = await get('/sample');
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ game: present(sampleGame) });
  });

  it('finds a slug that must be encoded (GET /catalog/games/{slug}, 200)', async () => {
    await service.models.games.import([{ ...sampleGame, _id: 'día de/nos' }]);
    expect((await get(`/${encodeURIComponent('día de/nos')}`)).body.game.slug).to.equal('día de/nos');
  });

  it('hides an unknown slug, an inactive game and a slug in another case (GET /catalog/games/{slug}, 404 not_found)', async () => {
    for (const slug of ['nothing', 'gone', 'Sample'])
      expectError(await get(`/${slug}`), 'not_found', 'Game not found');
  });
});
