/** announcement add, list and publish: checked by what customers are shown. */
import { expect } from 'chai';
import { createCli } from '../../support/cli.ts';
import { useService } from '../../support/service.ts';

describe('npm run cli: announcement', () => {
  const service = useService();
  const cli = createCli(() => ({ MONGODB_URI: service.databaseUri }));
  let key: string;

  before(async () => {
    ({ secret: key } = await service.addKey());
  });

  const shown = async (): Promise<number[]> => {
    const { body } = await service.call('GET', '/announcements', { key });
    return body.announcements.map(({ id }: { id: number }) => id);
  };

  it('add: stores a draft that no customer sees, and publish shows it once and for all', async () => {
    const words = [
      'announcement',
      'add',
      '--title',
      'Maintenance',
      '--message',
      '-',
      '--tag',
      'news',
      '--ribbon',
    ];
    const added = await cli.json(words, 'We move.\nOn Tuesday.\n');
    expect(added).to.deep.include({
      ...{ title: 'Maintenance', message: 'We move.\nOn Tuesday.', summary: '', tag: 'news' },
      ...{ status: 'draft', show_in_ribbon: true, published_at: null },
    });
    expect(await shown()).to.deep.equal([]);
    const { published_at } = await cli.json(`announcement publish ${added.id}`);
    expect(await shown()).to.deep.equal([added.id]);
    expect((await cli.json(`announcement publish ${added.id}`)).published_at).to.equal(published_at);
    expect(await cli.text('announcement list')).to.match(
      /^ID +STATUS +PUBLISHED AT +TAG +RIBBON +TITLE\n\d+ +published +20\S+ +news +yes +Maintenance\n$/,
    );
  });

  it('add --publish: shows it at once', async () => {
    const { id } = await cli.json('announcement add --title Now --message Hello --publish');
    expect(await shown()).to.include(id);
  });

  it('publish --at: shows it from that time on', async () => {
    const { id } = await cli.json('announcement add --title Later --message Hello');
    const { published_at } = await cli.json(`announcement publish ${id} --at 2100-01-31`);
    expect(published_at).to.equal('2100-01-31T00:00:00.000Z');
    expect(await shown()).not.to.include(id);
  });

  it('list: shows so many, and those before an id', async () => {
    const [newest, next] = await cli.json('announcement list --limit 2');
    expect(await cli.json(`announcement list --limit 1 --before ${newest.id}`)).to.deep.equal([next]);
  });

  it('exit code 1: an announcement that does not exist', async () => {
    expect(await cli.refusal('announcement publish 999')).to.equal('there is no announcement 999');
  });
});
