/** Administrators manage the catalog. */
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.ts';
import { useAdmin } from '../../support/use-key.ts';

describe('/admin/games', () => {
  const service = useAdmin({ rateLimitPerMinute: 1000 });

  beforeEach(() => service.connection.collection('games').deleteMany({}));

  const put = (slug: string, body: object) =>
    service.call('PUT', `/admin/games/${slug}`, { key: service.key, body });
  const remove = (slug: string) => service.call('DELETE', `/admin/games/${slug}`, { key: service.key });
  const list = async () => (await service.call('GET', '/admin/games', { key: service.key })).body.games;
  const shown = async () => (await service.call('GET', '/catalog/games', { key: service.key })).body.games;
  const plan = { title: 'Iron', price: '9.99', period: 'month' };

  it('adds a game, then replaces all of it (PUT, 201 and 200)', async () => {
    const added = await put('rust', { title: 'Rust', category: 'Survival', plans: [plan] });
    expect(added.status).to.equal(201);
    const { active, ...game } = added.body.game;
    expect(active).to.equal(true);
    expect(await shown()).to.deep.equal([game]);
    const replaced = await put('rust', { title: 'Rust 2' });
    expect(replaced.status).to.equal(200);
    expect(replaced.body.game).to.deep.include({ title: 'Rust 2', category: null, plans: [] });
    expect((await shown())[0].title).to.equal('Rust 2');
  });

  it('repeats its status for the same Idempotency-Key and audits that status (PUT, 201)', async () => {
    const headers = { 'Idempotency-Key': 'create-once' };
    const once = () =>
      service.call('PUT', '/admin/games/keyed', { key: service.key, body: { title: 'Keyed' }, headers });
    const answers = [await once(), await once(), await put('keyed', { title: 'Again' })];
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 200]);
    expect(answers[1]?.headers.get('Idempotency-Replayed')).to.equal('true');
    const entries = await service.models.auditEntries.list({ userId: service.user._id, limit: 3 });
    expect(entries.map(({ status }) => status)).to.deep.equal([200, 201, 201]);
  });

  it('hides an inactive game from the public but lists it here (PUT)', async () => {
    await put('ark', { title: 'ARK', active: false });
    expect(await shown()).to.deep.equal([]);
    expect(await list()).to.have.length(1);
    expectError(
      await service.call('GET', '/catalog/games/ark', { key: service.key }),
      'not_found',
      'Game not found',
    );
  });

  it('deletes a game once (DELETE, 200 then 404)', async () => {
    await put('rust', { title: 'Rust' });
    expect((await remove('rust')).body).to.deep.equal({ deleted: true });
    expect(await shown()).to.deep.equal([]);
    expectError(await remove('rust'), 'not_found', 'Game not found');
  });

  it('rejects a slug that would need escaping and a plan without a price (PUT, 400 bad_request)', async () => {
    const slug =
      'slug must be 1 to 100 letters, digits, dots, underscores and hyphens, beginning with a letter or digit';
    expectError(await put('a%2Fb', { title: 'A' }), 'bad_request', slug);
    const { price: _, ...free } = plan;
    expectError(await put('a', { title: 'A', plans: [free] }), 'bad_request', 'plans.0.price is required');
  });
});
