/** GET /announcements lists published announcements only, newest first, in stable pages. */
import { expect } from 'chai';
import { useCustomer } from '../support/use-key.ts';

const draft = { title: 'Draft', summary: '', message: 'Soon.', tag: null, showInRibbon: false };

describe('GET /announcements', () => {
  const service = useCustomer();

  beforeEach(async () => {
    for (const name of ['announcements', 'sequences'])
      await service.connection.collection(name).deleteMany({});
  });

  const publish = (title: string, at: Date) =>
    service.models.announcements.add({ ...draft, title, status: 'published' }, at);
  const get = async (query = '') =>
    (await service.call('GET', `/announcements${query}`, { key: service.key })).body;
  const titles = async (query: string) =>
    (await get(query)).announcements.map(({ title }: { title: string }) => title);

  it("returns the contract's fields and no others (200)", async () => {
    const at = new Date('2026-11-21T09:30:00.123Z');
    const news = { title: 'News', summary: 'Short', message: 'Long', tag: 'news', showInRibbon: true };
    await service.models.announcements.add({ ...news, status: 'published' }, at);
    const { showInRibbon: _, ...shown } = news;
    expect(await get()).to.deep.equal({
      announcements: [{ id: 1, ...shown, published_at: '2026-11-21T09:30:00.123Z' }],
      page: 1,
      per_page: 20,
    });
  });

  it('hides drafts', async () => {
    await service.models.announcements.add({ ...draft, status: 'draft' }, new Date());
    await publish('Published', new Date());
    expect(await titles('')).to.deep.equal(['Published']);
  });

  it('lists the newest first, whatever order they were published in', async () => {
    for (const [title, day] of [
      ['b', 2],
      ['c', 3],
      ['a', 1],
    ] as const)
      await publish(title, new Date(2026, 0, day));
    expect(await titles('')).to.deep.equal(['c', 'b', 'a']);
  });

  it('lists each of several announcements with the same time once across pages', async () => {
    const at = new Date();
    const all = Array.from({ length: 7 }, (_, index) => `${index}`);
    for (const title of all) await publish(title, at);
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await titles(`?page=${page}&per_page=2`));
    expect(pages).to.deep.equal([['6', '5'], ['4', '3'], ['2', '1'], ['0']]);
  });

  it('returns 20 on a page by default and up to 100 on request', async () => {
    for (let index = 0; index < 25; index += 1) await publish(`${index}`, new Date());
    expect((await get()).announcements).to.have.lengthOf(20);
    const { announcements, page, per_page } = await get('?page=2&per_page=20');
    expect([announcements.length, page, per_page]).to.deep.equal([5, 2, 20]);
    expect((await get('?per_page=100')).announcements).to.have.lengthOf(25);
  });

  it('returns an empty page past the end, however far (200)', async () => {
    await publish('Only', new Date());
    for (const page of [2, 1_000_000, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      const empty = { announcements: [], page, per_page: 100 };
      expect(await get(`?page=${page}&per_page=100`)).to.deep.equal(empty);
    }
  });
});
