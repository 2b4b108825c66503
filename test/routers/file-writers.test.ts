/** Many concurrent writers of one file, over two services on one database and one panel: with a condition, one of them wins. */
import { hash } from 'node:crypto';
import { expect } from 'chai';
import { refusal } from '../../server/panel/demo/answers.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { profile } from '../support/profiler.ts';
import { resetPanel, startBeside } from '../support/server-owner.ts';
import type { TestService } from '../support/service.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const server = panelServer({ identifier: id });
const file = '/config.yml';
const sha256 = (content: string) => hash('sha256', content, 'hex');

describe('concurrent writers of one file', () => {
  const one = useOwner({ rateLimitPerMinute: 1_000_000 });
  let other: TestService;

  before(async () => {
    other = await startBeside(one);
  });
  after(() => other.leave());
  beforeEach(() => {
    resetPanel(one, [server]);
    one.panel.files.clear();
  });

  const contentNow = () => String(one.panel.filesOf(server).get(file)?.content);
  const leases = () => one.connection.collection('file_leases').countDocuments({ holder: { $ne: null } });

  async function writeAtOnce(condition: { if_sha256?: string | null }) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, writer) =>
        (writer % 2 === 0 ? one : other).call('PUT', `/servers/${id}/files/content`, {
          key: one.key,
          body: { file, content: `writer ${writer}`, ...condition },
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    return { statuses, winners: statuses.flatMap((status, writer) => (status < 300 ? [writer] : [])) };
  }

  it('get 201 for one of twenty who create it and 409 for the rest', async () => {
    const { statuses, winners } = await writeAtOnce({ if_sha256: null });
    expect(statuses.toSorted()).to.deep.equal([201, ...Array(19).fill(409)]);
    expect(contentNow()).to.equal(`writer ${winners[0]}`);
    expect(await leases()).to.equal(0);
  });

  it('get 200 for one of twenty who read the same version and 409 for the rest', async () => {
    one.panel.filesOf(server).write(file, 'before', 0);
    const { statuses, winners } = await writeAtOnce({ if_sha256: sha256('before') });
    expect(statuses.toSorted()).to.deep.equal([200, ...Array(19).fill(409)]);
    expect(contentNow()).to.equal(`writer ${winners[0]}`);
  });

  it('write one after another without a condition', async () => {
    const { winners } = await writeAtOnce({});
    expect(winners.length).to.be.greaterThan(0);
    expect(winners.map((writer) => `writer ${writer}`)).to.include(contentNow());
  });

  it('get 409 when twenty wait, while one in each process polls MongoDB', async () => {
    await one.models.fileLeases.take(server.uuid, file);
    const queries = await profile(one.connection, async () => {
      expect((await writeAtOnce({})).statuses).to.deep.equal(Array(20).fill(409));
    });
    const looks = queries.filter(({ op, ns }) => op === 'update' && ns.endsWith('.file_leases'));
    expect(looks.length).to.be.within(2, 40);
    await one.connection.collection('file_leases').updateMany({}, { $set: { leaseEndsAt: new Date(0) } });
  });

  it('are kept out while a write without an answer may have been done, which its 502 says', async () => {
    const body = { file, content: 'a' };
    const write = () => one.call('PUT', `/servers/${id}/files/content`, { key: one.key, body });
    await one.call('GET', `/servers/${id}/files?directory=/`, { key: one.key });
    const proper = { after: Promise.resolve() };
    one.panel.respondNext(proper, 'reset');
    const first = await write();
    expect([first.status, first.body.error.code]).to.deep.equal([502, 'upstream_error']);
    expect(first.body.error.message).to.include('may have been written');
    const second = await write();
    expect([second.status, second.headers.get('Retry-After')]).to.deep.equal([409, '1']);
    await one.connection.collection('file_leases').updateMany({}, { $set: { leaseEndsAt: new Date(0) } });
    expect((await write()).status).to.be.oneOf([200, 201]);
  });
});

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`a write that a ${dialect} node refuses`, () => {
    const service = useOwner({ rateLimitPerMinute: 1_000_000, dialect });

    it('leaves the file to the next writer at once (502)', async () => {
      resetPanel(service, [server]);
      const body = { file, content: 'a' };
      const write = () => service.call('PUT', `/servers/${id}/files/content`, { key: service.key, body });
      await service.call('GET', `/servers/${id}/files?directory=/`, { key: service.key });
      const refused =
        dialect === 'pelican'
          ? refusal(500, 'RequestException', 'The request to the node failed.')
          : refusal(422, 'DaemonConnectionException', 'An error was encountered.');
      service.panel.respondNext({ after: Promise.resolve() }, refused);
      expect((await write()).body.error.message).to.equal(
        'The machine that hosts the server did not carry out the request; try again later',
      );
      const held = service.connection.collection('file_leases').countDocuments({ holder: { $ne: null } });
      expect(await held).to.equal(0);
      expect((await write()).status).to.equal(201);
    });
  });
