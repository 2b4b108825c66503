/** A file from an address, where a call of the panel fails or takes long: what was there is not lost, and nothing is left. */
import { expect } from 'chai';
import { refusal } from '../../server/panel/demo/answers.ts';
import { createHold } from '../server/panel/start-panel-test.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { content, file, id, old, pullExample, server, sha256, url } from '../support/fetched-file.ts';
import { resetPanel, startWithOwner } from '../support/server-owner.ts';
import { useStarted } from '../support/use-started.ts';

const done = { after: Promise.resolve() };

describe('a file from an address, where a call of the panel fails', () => {
  const panel = { pullWaitMs: 3_000 };
  const service = useStarted(() => startWithOwner({ rateLimitPerMinute: 1_000_000, panel }));
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

  // By a list before and after.
  const calls = ['look', 'pull', 'look again', 'link', 'set aside', 'rename', 'list', 'delete', 'list again'];
  for (const [index, call] of calls.entries())
    for (const [how, failure] of [
      ['refuses', refusal(500, 'RequestException')],
      ['breaks the connection of', 'reset'],
      ['does, and gives no answer to,', { insteadOfDone: refusal(504, 'DaemonConnectionException') }],
    ] as const)
      it(`has the old file or the new one, where the panel ${how} the ${call}`, async () => {
        service.panel.respondNext(...Array(index).fill(done), failure);
        const { status, text } = await replace();
        expect([200, 502], text).to.include(status);
        const [[, found] = [], ...others] = namesLike(/^RaidTimer\.jar$/);
        expect(others).to.deep.equal([]);
        expect(String(found?.content)).to.be.oneOf(status === 200 ? [content] : [content, 'a plugin']);
        if (text.includes('did not carry out')) expect(String(found?.content)).to.equal('a plugin');
      });

  it('502: says where the old file is, if it cannot be put back', async () => {
    const refused = refusal(500, 'RequestException');
    // What is asked to explain a refusal, too.
    service.panel.respondNext(...Array(5).fill(done), ...Array(9).fill(refused));
    const { body } = await replace();
    const [[name = '', aside] = []] = namesLike(/\.old-RaidTimer\.jar$/);
    expect(body.error.message).to.equal(
      `The machine that hosts the server failed midway; the file that was there may be at /plugins/${name}`,
    );
    expect(String(aside?.content)).to.equal('a plugin');
  });

  it('502: what is not there in time, or not whole, of which nothing is left', async () => {
    service.panel.nodeScript.pull = () => null;
    const late = await replace();
    const message = 'The machine that hosts the server did not fetch the file in time; try again later';
    expectError(late, 'upstream_error', message);
    service.panel.nodeScript.pull = (tree, path) => {
      tree.write(path, 'something else', 0);
      return null;
    };
    service.panel.respondNext(done, { insteadOfDone: refusal(504, 'DaemonConnectionException') });
    const differing = await replace();
    expect(differing.body.error.message).to.match(/^The file at url has another sha256: [0-9a-f]{64}$/);
    expect(plugins().map(([name]) => name)).to.deep.equal(['RaidTimer.jar']);
  });
});

describe('a file from an address that takes longer than its caller waits', () => {
  const panel = { pullWaitMs: 3_000, fetchWaitMs: 4_000 };
  const service = useStarted(() => startWithOwner({ rateLimitPerMinute: 1_000_000, panel }));

  it('502: never gets its name afterwards, and nothing of it is left', async () => {
    resetPanel(service, [server]);
    service.panel.nodeScript.pull = pullExample;
    await service.call('GET', `/servers/${id}/files`, { key: service.key });
    service.panel.forget();
    const link = createHold();
    service.panel.respondNext(done, done, done, link);
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
