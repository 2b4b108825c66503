/** Announcements edited, scheduled and deleted: what the public sees, from when on. */
import { expect } from 'chai';
import { createModels } from '../../../models/index.ts';
import { connectMongoose } from '../../../server/database.ts';
import { expectError } from '../../support/expect-error.ts';
import { useAdmin } from '../../support/use-key.ts';

describe('/admin/announcements/{announcement_id}', () => {
  const service = useAdmin({ rateLimitPerMinute: 1000 });
  let id: number;

  beforeEach(async () => {
    await service.connection.collection('announcements').deleteMany({});
    const body = { title: 'News', message: 'We are open.' };
    ({ id } = (
      await service.call('POST', '/admin/announcements', { key: service.key, body })
    ).body.announcement);
  });

  const patch = (body: object, which = id) =>
    service.call('PATCH', `/admin/announcements/${which}`, { key: service.key, body });
  const remove = () => service.call('DELETE', `/admin/announcements/${id}`, { key: service.key });
  const shown = async () =>
    (await service.call('GET', '/announcements', { key: service.key })).body.announcements;
  const inMs = (ms: number) => new Date(service.clock.now() + ms).toISOString();

  it('PATCH, 200: changes the given fields and keeps the others', async () => {
    const { status, body } = await patch({ title: '$title', tag: 'news' });
    expect(status).to.equal(200);
    expect(body.announcement).to.include({
      title: '$title',
      tag: 'news',
      message: 'We are open.',
      status: 'draft',
    });
  });

  it('PATCH, 200: changing nothing keeps updated_at', async () => {
    const { body } = await patch({ tag: 'news' });
    service.clock.advance(1000);
    expect((await patch({ tag: 'news' })).body).to.deep.equal(body);
    expect((await patch({})).body).to.deep.equal(body);
    expect((await patch({ tag: null })).body.announcement.updated_at).to.not.equal(
      body.announcement.updated_at,
    );
  });

  it('PATCH: publishes now and keeps the time when published again; status draft hides it', async () => {
    const { published_at } = (await patch({ status: 'published' })).body.announcement;
    service.clock.advance(1000);
    expect((await patch({ status: 'published' })).body.announcement.published_at).to.equal(published_at);
    expect(await shown()).to.have.length(1);
    expect((await patch({ status: 'draft' })).body.announcement.published_at).to.equal(null);
    expect(await shown()).to.deep.equal([]);
  });

  it('PATCH: publish_at in the future publishes a draft at that moment, in every process', async () => {
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

  it('PATCH: publish_at null takes it back to a draft', async () => {
    await patch({ publish_at: inMs(-1000) });
    expect(await shown()).to.have.length(1);
    const { announcement } = (await patch({ publish_at: null })).body;
    expect(announcement).to.include({ status: 'draft', published_at: null });
    expect(await shown()).to.deep.equal([]);
  });

  it('DELETE, 200 and 404: deletes it once', async () => {
    await patch({ status: 'published' });
    expect((await remove()).body).to.deep.equal({ deleted: true });
    expect(await shown()).to.deep.equal([]);
    expectError(await remove(), 'not_found', 'Announcement not found');
    expectError(await patch({ tag: 'x' }), 'not_found', 'Announcement not found');
  });

  it('PATCH, 400 bad_request: a time without a zone, and an empty title', async () => {
    expect((await patch({ publish_at: '2030-01-01T00:00:00' })).status).to.equal(400);
    expectError(await patch({ title: ' ' }), 'bad_request', 'title must not be empty');
  });
});
