/** Administrators list and create announcements, drafts included; other users cannot. */
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.ts';
import { useAdmin } from '../../support/use-key.ts';

describe('/admin/announcements', () => {
  const service = useAdmin();

  beforeEach(async () => {
    await service.connection.collection('announcements').deleteMany({});
    await service.connection.collection<{ _id: string }>('sequences').deleteOne({ _id: 'announcement' });
  });

  const create = (body: object) => service.call('POST', '/admin/announcements', { key: service.key, body });
  const list = (own = service.key) => service.call('GET', '/admin/announcements', { key: own });
  const news = { title: 'News', message: 'We are open.' };

  describe('POST /admin/announcements', () => {
    it('201: creates a draft by default', async () => {
      const answer = await create(news);
      expect(answer.status).to.equal(201);
      const { announcement } = answer.body;
      const now = announcement.created_at;
      expect(announcement).to.deep.equal({
        ...{ id: 1, ...news, summary: '', tag: null, status: 'draft', show_in_ribbon: false },
        ...{ published_at: null, created_at: now, updated_at: now },
      });
      expect(Date.parse(now)).to.be.closeTo(service.clock.now(), 5000);
    });

    it('201: publishes at once with every field as sent', async () => {
      const whole = { ...news, summary: 'Open', tag: 'news', status: 'published', show_in_ribbon: true };
      const { announcement } = (await create(whole)).body;
      expect(announcement).to.deep.include(whole);
      expect(announcement.published_at).to.equal(announcement.created_at);
    });
  });

  describe('GET /admin/announcements', () => {
    it('200: lists all of them, including drafts, newest first', async () => {
      const { announcement: first } = (await create(news)).body;
      const { announcement: second } = (await create({ ...news, status: 'published' })).body;
      const answer = await list();
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ announcements: [second, first] });
    });

    it('200: lists the newest 200, and with before and limit those before them', async () => {
      const announcements = service.connection.collection<{ _id: number }>('announcements');
      const at = new Date();
      const stored = {
        ...{ title: 'Old', summary: '', message: 'Old', tag: null, status: 'draft', showInRibbon: false },
        ...{ publishedAt: null, createdAt: at, updatedAt: at },
      };
      const added = Array.from({ length: 210 }, (_, index) => ({ ...stored, _id: 10_000 + index }));
      await announcements.insertMany(added);
      const idsOf = async (query: string) => {
        const { body } = await service.call('GET', `/admin/announcements${query}`, { key: service.key });
        return body.announcements.map(({ id }: { id: number }) => id);
      };
      const newest = added.map(({ _id }) => _id).reverse();
      expect(await idsOf('')).to.deep.equal(newest.slice(0, 200));
      expect(await idsOf('?before=10010&limit=3')).to.deep.equal(newest.slice(200, 203));
      await announcements.deleteMany({ _id: { $gte: 10_000 } });
    });
  });

  describe('the scope admin:announcements', () => {
    const message = 'This key lacks the scope admin:announcements: create a key with it';

    it('403 insufficient_scope: the scope stops counting while the owner is not an administrator', async () => {
      const user = await service.addUser({ isAdmin: true });
      const { secret } = await service.addKey({ user });
      expect((await list(secret)).status).to.equal(200);
      await service.models.users.change(user.email, { isAdmin: false });
      expectError(await list(secret), 'insufficient_scope', message);
      expect((await service.call('GET', '/me', { key: secret })).status).to.equal(200);
      await service.models.users.change(user.email, { isAdmin: true });
      expect((await list(secret)).status).to.equal(200);
    });
  });
});
