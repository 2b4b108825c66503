/** Fetching a file when a panel call fails or is slow: the old file is not lost, and no leftovers remain. */
import { expect } from 'chai';
import { refusal } from '../../server/panel/demo/answers.ts';
import { panelDefaults } from '../../server/panel/options.ts';
import { createHold } from '../server/panel/start-panel-test.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { content, file, id, old, pullExample, server, sha256, url } from '../support/fetched-file.ts';
import type { FileTree } from '../support/panel/file-tree.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const done = { after: Promise.resolve() };
const pulling = (text: string) => (tree: FileTree, path: string) => {
  tree.write(path, text, 0);
  return null;
};

describe('fetching a file while a panel call fails', () => {
  const panel = { pullWaitMs: 500, pullPausesMs: { first: 10, longest: 100 } };
  const service = useOwner({ rateLimitPerMinute: 1_000_000, panel });
  beforeEach(async () => {
    resetPanel(service, [server]);
    service.panel.nodeScript.pull = pullExample;
    service.panel.files.clear();
    await service.connection.collection('file_leases').deleteMany({});
    await service.call('GET', `/servers/${id}/files`, { key: service.key });
    service.panel.forget();
  });

  const replace = () =>
    service.call('POST', `/servers/${id}/files/fetch`, {
      key: service.key,
      body: { url, file: old, sha256, replace: true },
    });
  const plugins = () => service.panel.filesOf(server).list('/plugins');
  const namesLike = (pattern: RegExp) => plugins().filter(([name]) => pattern.test(name));

  const calls = [
    ...[
      'list',
      'check whether the file may change',
      'pull',
      'list until the file appears',
      'list again',
      'link',
    ],
    ...['set aside', 'rename', 'list before the deletion', 'delete', 'list after the deletion'],
  ];
  for (const [index, call] of calls.entries())
    for (const [how, failure] of [
      ['refuses', refusal(500, 'RequestException')],
      ['breaks the connection during', 'reset'],
      ['carries out but does not answer', { insteadOfDone: refusal(504, 'DaemonConnectionException') }],
    ] as const)
      it(`leaves either the old file or the new one when the panel ${how} this call: ${call}`, async () => {
        service.panel.respondNext(...Array(index).fill(done), failure);
        const { status, text } = await replace();
        expect([200, 502], text).to.include(status);
        const [[, found] = [], ...others] = namesLike(/^RaidTimer\.jar$/);
        expect(others).to.deep.equal([]);
        expect(String(found?.content)).to.be.oneOf(status === 200 ? [content] : [content, 'a plugin']);
        if (text.includes('did not carry out')) expect(String(found?.content)).to.equal('a plugin');
      });

  it('says where the old file is if it cannot be put back, and blames no one (502)', async () => {
    const refused = refusal(500, 'RequestException');
    // The refused calls include the one that would explain a refusal.
    service.panel.respondNext(...Array(7).fill(done), ...Array(9).fill(refused));
    const { body } = await replace();
    const [[name = '', aside] = []] = namesLike(/\.old$/);
    expect(body.error.message).to.equal(
      `The replacement failed midway; the old file may be at /plugins/${name}`,
    );
    expect(String(aside?.content)).to.equal('a plugin');
  });

  it('reports a download that is late and leaves nothing of it (502)', async () => {
    service.panel.nodeScript.pull = () => 'source failed';
    const late = await replace();
    const message =
      'The machine that hosts the server did not fetch the file in time; check the address, or try again later';
    expectError(late, 'upstream_error', message);
    expect(plugins().map(([name]) => name)).to.deep.equal(['RaidTimer.jar']);
  });

  it('reports a broken connection to the panel when nothing arrived (502)', async () => {
    service.panel.nodeScript.pull = () => null;
    service.panel.respondNext(done, done, 'reset');
    const message = 'The connection to the panel was lost; try again later';
    expectError(await replace(), 'upstream_error', message);
  });

  const half = 'PK\x03\x04 half of a mod';
  for (const [how, stall] of [
    ['an archive without its end', () => (service.panel.nodeScript.pull = pulling(half))],
    [
      'half of a file, after the panel gave up',
      () => {
        service.panel.nodeScript.pull = pulling('half');
        service.panel.respondNext(done, done, { insteadOfDone: refusal(504, 'DaemonConnectionException') });
      },
    ],
  ] as const)
    it(`reports a stalled download as late, not as a wrong file: ${how} (502)`, async () => {
      stall();
      const refused = await replace();
      expect(refused.body.error.message).to.match(
        /^The file did not arrive completely in time: \d+ bytes arrived\. The download keeps one of the server's three slots until its source closes it$/,
      );
      expect([refused.status, refused.headers.get('Retry-After')]).to.deep.equal([502, '600']);
      expect(plugins().map(([name]) => name)).to.deep.equal(['RaidTimer.jar']);
    });

  it('reports a slow download as late, not as a wrong file (502)', async () => {
    const lists = () => service.panel.requests.filter(({ path }) => path.includes('files/list')).length;
    service.panel.nodeScript.pull = (tree, path) => {
      tree.writeChanging(path, () => 'x'.repeat(lists()));
      return null;
    };
    const refused = await replace();
    expect([refused.status, refused.body.error.code]).to.deep.equal([502, 'upstream_error']);
    expect(refused.body.error.message).to.match(/^The file did not arrive completely in time/);
  });

  for (const [why, failure] of [
    ['the node failed', refusal(500, 'RequestException')],
    ['the panel failed', refusal(500, 'HttpException')],
    ['the connection broke', 'reset'],
  ] as const)
    it(`succeeds when listing or reading the download fails once because ${why} (200)`, async () => {
      for (const before of [
        [done, done, done],
        [done, done, done, done, done],
      ]) {
        service.panel.filesOf(server).write(old, 'a plugin', 0);
        service.panel.respondNext(...before, failure);
        const { status, text } = await replace();
        expect(status, text).to.equal(200);
      }
    });

  it('reports an endless download as late, even while it grows during the read (502)', async () => {
    let bytes = 0;
    service.panel.nodeScript.pull = (tree, path) => {
      tree.writeChanging(path, () => {
        bytes += 100;
        return 'x'.repeat(bytes);
      });
      return null;
    };
    const refused = await replace();
    expect(refused.body.error.message).to.match(
      /^The file did not arrive completely in time: \d+ bytes arrived/,
    );
    expect([refused.status, refused.headers.get('Retry-After')]).to.deep.equal([502, '600']);
  });

  it('keeps working after a node sends more than it announced', async () => {
    const body = Buffer.from(content.repeat(2));
    service.panel.nodeScript.download = { headers: { 'Content-Length': String(content.length) }, body };
    const { status } = await replace();
    service.panel.nodeScript.download = null;
    expect(status).to.be.oneOf([200, 502]);
    expect((await service.call('GET', `/servers/${id}/files`, { key: service.key })).status).to.equal(200);
  });
});

describe('fetching a file for longer than its caller waits', () => {
  const panel = { pullWaitMs: 500, pullPausesMs: { first: 10, longest: 100 }, fetchWaitMs: 1_000 };
  const service = useOwner({ rateLimitPerMinute: 1_000_000, panel });

  it('never gives the file its name afterwards and leaves nothing of it (502)', async () => {
    resetPanel(service, [server]);
    service.panel.nodeScript.pull = pullExample;
    await service.call('GET', `/servers/${id}/files`, { key: service.key });
    service.panel.forget();
    const link = createHold();
    service.panel.respondNext(...Array(5).fill(done), link);
    const path = `/servers/${id}/files/fetch`;
    const { status, body } = await service.call('POST', path, {
      key: service.key,
      body: { url, file, sha256 },
    });
    expect([status, body.error.message]).to.deep.equal([
      502,
      'The machine that hosts the server did not answer in time; the file may have been fetched',
    ]);
    link.release();
    const names = () =>
      service.panel
        .filesOf(server)
        .list('/plugins')
        .map(([name]) => name);
    await eventually(async () => expect(names()).to.deep.equal(['RaidTimer.jar']));
  });
});

describe('a running fetch of a file', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000 });

  it('is not started again by a retry or another writer, however long it takes', async () => {
    resetPanel(service, [server]);
    service.panel.nodeScript.pull = () => null;
    const pulls = () => service.panel.requests.filter(({ path }) => path.includes('files/pull'));
    const request = { key: service.key, body: { url, file, sha256 }, headers: { 'Idempotency-Key': 'once' } };
    const fetchFile = () => service.call('POST', `/servers/${id}/files/fetch`, request);
    const first = fetchFile();
    await eventually(async () => expect(pulls()).to.have.lengthOf(1));
    service.clock.advance(46_000);
    const message = 'The first request with this idempotency key is still in progress; try again';
    expectError(await fetchFile(), 'conflict', message);
    const [lease] = await service.connection.collection('file_leases').find().toArray();
    const { fetchWaitMs, clientTimeoutMs } = panelDefaults;
    expect(lease?.['leaseEndsAt'].getTime() - Date.now()).to.be.above(fetchWaitMs + clientTimeoutMs);
    const { filename } = JSON.parse(pulls()[0]?.body ?? '{}');
    service.panel.filesOf(server).write(`/plugins/${filename}`, content, 0);
    expect((await first).status).to.equal(201);
    expect(pulls()).to.have.lengthOf(1);
  }).timeout(30_000);
});
