/** Administrators list, create, edit, schedule and delete announcements, and the public sees them once published. */
import { expect } from 'chai';
import { createModels } from '../../../models/index.ts';
import { connectMongoose } from '../../../server/database.ts';
import { expectError } from '../../support/expect-error.ts';
import { useAdmin } from '../../support/use-key.ts';

describe('managing announcements', () => {
  const service = useAdmin({ rateLimitPerMinute: 1000 });

  beforeEach(async () => {
    await service.connection.collection('announcements').deleteMany({});
    await service.connection.collection<{ _id: string }>('sequences').deleteOne({ _id: 'announcement' });
  });

  const create = (body: object) => service.call('POST', '/admin/announcements', { key: service.key, body });
  const list = (own = service.key) => service.call('GET', '/admin/announcements', { key: own });
  const news = { title: 'News', message: 'We are open.' };

  describe('POST /admin/announcements', () => {
    it('creates a draft by default (201)', async () => {
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

    it('publishes at once with every field as sent (201)', async () => {
      const whole = { ...news, summary: 'Open', tag: 'news', status: 'published', show_in_ribbon: true };
      const { announcement } = (await create(whole)).body;
      expect(announcement).to.deep.include(whole);
      expect(announcement.published_at).to.equal(announcement.created_at);
    });
  });

  describe('GET /admin/announcements', () => {
    it('lists all announcements, including drafts, newest first (200)', async () => {
      const { announcement: first } = (await create(news)).body;
      const { announcement: second } = (await create({ ...news, status: 'published' })).body;
      const answer = await list();
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ announcements: [second, first] });
    });

    it('lists the newest 200, and older ones with before and limit (200)', async () => {
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

  describe('/admin/announcements/{announcement_id}', () => {
    let id: number;

    beforeEach(async () => {
      ({ id } = (await create(news)).body.announcement);
    });

    const patch = (body: object, which = id) =>
      service.call('PATCH', `/admin/announcements/${which}`, { key: service.key, body });
    const remove = () => service.call('DELETE', `/admin/announcements/${id}`, { key: service.key });
    const shown = async () =>
      (await service.call('GET', '/announcements', { key: service.key })).body.announcements;
    const inMs = (ms: number) => new Date(service.clock.now() + ms).toISOString();

    it('changes the given fields and keeps the others (PATCH, 200)', async () => {
      const { status, body } = await patch({ title: '$title', tag: 'news' });
      expect(status).to.equal(200);
      expect(body.announcement).to.include({
        title: '$title',
        tag: 'news',
        message: 'We are open.',
        status: 'draft',
      });
    });

    it('keeps updated_at when nothing changes (PATCH, 200)', async () => {
      const { body } = await patch({ tag: 'news' });
      service.clock.advance(1000);
      expect((await patch({ tag: 'news' })).body).to.deep.equal(body);
      expect((await patch({})).body).to.deep.equal(body);
      expect((await patch({ tag: null })).body.announcement.updated_at).to.not.equal(
        body.announcement.updated_at,
      );
    });

    it('publishes now, keeps the time when published again, and hides an announcement with status draft (PATCH)', async () => {
      const { published_at } = (await patch({ status: 'published' })).body.announcement;
      service.clock.advance(1000);
      expect((await patch({ status: 'published' })).body.announcement.published_at).to.equal(published_at);
      expect(await shown()).to.have.length(1);
      expect((await patch({ status: 'draft' })).body.announcement.published_at).to.equal(null);
      expect(await shown()).to.deep.equal([]);
    });

    it('publishes a draft at a future publish_at in every process (PATCH)', async () => {
      const publish_at = inMs(60_000);
      const { announcement } = (await patch({ publish_at })).body;
      expect(announcement).to.include({ status: 'published', published_at: publish_at });
      expect(await shown()).to.deep.equal([]);
      const connection = await connectMongoose(service.databaseUri);
      const { announcements } = createModels(connection);
      const listAt = async (now: Date) =>
        (await announcements.listPublished({ page: 1, pageSize: 20, now })).announcements;
      expect(await listAt(new Date(service.clock.now()))).to.deep.equal([]);
      service.clock.advance(60_001);
      expect(await shown()).to.have.length(1);
      expect(await listAt(new Date(service.clock.now()))).to.have.length(1);
      await connection.close();
    });

    it('turns an announcement back into a draft with publish_at null (PATCH)', async () => {
      await patch({ publish_at: inMs(-1000) });
      expect(await shown()).to.have.length(1);
      const { announcement } = (await patch({ publish_at: null })).body;
      expect(announcement).to.include({ status: 'draft', published_at: null });
      expect(await shown()).to.deep.equal([]);
    });

    it('deletes an announcement once (DELETE, 200 then 404)', async () => {
      await patch({ status: 'published' });
      expect((await remove()).body).to.deep.equal({ deleted: true });
      expect(await shown()).to.deep.equal([]);
      expectError(await remove(), 'not_found', 'Announcement not found');
      expectError(await patch({ tag: 'x' }), 'not_found', 'Announcement not found');
    });

    it('rejects a time without a zone and an empty title (PATCH, 400 bad_request)', async () => {
      expect((await patch({ publish_at: '2030-01-01T00:00:00' })).status).to.equal(400);
      expectError(await patch({ title: ' ' }), 'bad_request', 'title must not be empty');
    });
  });

  describe('the scope admin:announcements', () => {
    const message = 'This key lacks the scope admin:announcements: create a key with it at /account#keys';

    it('stops counting while the owner is not an administrator (403 insufficient_scope)', async () => {
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
