/** Data from hostile panels and nodes is bounded in time and memory, and none of it reaches the caller. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import type { Behaviour } from '../../support/stand-in-panel.ts';
import { useOwner } from '../../support/use-key.ts';
import { createHold } from './start-panel-test.ts';

const id = 'a1b2c3d4';
const server = panelServer({ identifier: id });
const hint = 'panel-internal.example';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const mebibyte = 1024 * 1024;

describe('reading files from a hostile panel', () => {
  const service = useOwner({
    rateLimitPerMinute: 1_000_000,
    panel: { fileWaitMs: 500, fileWriteWaitMs: 1_000, failureThreshold: 1_000, retryDelayMs: 1 },
  });
  const base = `/servers/${id}/files`;
  const get = (rest: string) => service.call('GET', `${base}${rest}`, { key: service.key });

  beforeEach(async () => {
    resetPanel(service, [server]);
    service.panel.nodeScript.download = null;
    service.panel.files.clear();
    await service.call('GET', '/servers', { key: service.key });
  });
  afterEach(() => service.panel.closeAll());

  const page = `<html>${hint}</html>`;
  const listWith = (attributes: unknown) => ({ body: { object: 'list', data: [{ attributes }] } });
  const hostile: Record<string, Behaviour> = {
    'HTML with status 200': { body: page },
    'HTML with status 502': { status: 502, body: page },
    'a redirect': { status: 302, headers: { Location: `https://${hint}/auth/login` }, body: '' },
    'a broken connection': 'reset',
    silence: 'hang',
    'an endless refusal': { status: 500, body: 'x'.repeat(mebibyte) },
    'JSON of another shape': { headers: { 'Content-Type': 'application/json' }, body: '{"data":[{"a":1}]}' },
    'truncated JSON': {
      headers: { 'Content-Type': 'application/json' },
      body: '{"data":[{"attributes":{',
    },
    'an invalid name': listWith({
      name: { $ne: '' },
      is_file: true,
      modified_at: '2026-01-01T00:00:00Z',
    }),
    'a list of strings': { body: { object: 'list', data: ['a.txt', 'b.txt'] } },
    nothing: { status: 200 },
  };
  for (const [what, behaviour] of Object.entries(hostile))
    it(`answers 502 to ${what} in a list, a read and a write`, async () => {
      for (const ask of [
        () => get(''),
        () => get('/content?file=/server.properties'),
        () =>
          service.call('PUT', `${base}/content`, { key: service.key, body: { file: '/a', content: 'x' } }),
      ]) {
        service.panel.respondWith(behaviour);
        const { status, text, body } = await ask();
        service.panel.recover();
        service.clock.advance(600_000);
        await service.call('GET', '/servers', { key: service.key });
        expect([status, body.error?.code], text).to.deep.equal([502, 'upstream_error']);
        expect(text).not.to.include(hint);
      }
    });

  const nodes: Record<string, Behaviour> = {
    'HTML with status 500': { status: 500, body: page },
    'a redirect': { status: 302, headers: { Location: 'http://169.254.169.254/' }, body: '' },
    'a broken connection': 'reset',
    silence: 'hang',
  };
  for (const [what, behaviour] of Object.entries(nodes))
    it(`answers 502 to ${what} from the node that a link leads to`, async () => {
      service.panel.filesOf(server).write('/large.log', Buffer.alloc(300_000, 'x'), 0);
      service.panel.nodeScript.download = behaviour;
      const { status, text } = await get('/content?file=/large.log&tail=5');
      expect(status, text).to.equal(502);
      expect(text).not.to.match(/panel-internal|169\.254|token/);
    });

  it('answers 502 to a deletion whose check takes too long, and requests no list after that', async () => {
    const paths = Array.from({ length: 5 }, (_, index) => `/${index}/file.txt`);
    for (const path of paths) service.panel.filesOf(server).write(path, 'x', 0);
    const { after, release } = createHold();
    service.panel.respondNext({ after });
    const options = { key: service.key, body: { files: paths } };
    expect((await service.call('POST', `${base}/delete`, options)).status).to.equal(502);
    release();
    expect((await get('')).status).to.equal(200);
    const asked = service.panel.requests.filter(({ path }) => path.includes('/files/'));
    expect(asked.map(({ path }) => path.replace(/.*files\//, ''))).to.deep.equal([
      'list?directory=%2F0',
      'list?directory=%2F',
    ]);
  });

  for (const url of [
    'http://169.254.169.254/latest',
    'http://[::]/x',
    'ftp://127.0.0.1/x',
    'http://u:p@127.0.0.1/x',
  ])
    it(`answers 502 to a link to ${url}, and does not follow it`, async () => {
      service.panel.filesOf(server).write('/large.log', Buffer.alloc(300_000, 'x'), 0);
      const link = { body: { object: 'signed_url', attributes: { url } } };
      service.panel.respondNext({ after: Promise.resolve() }, link);
      expect((await get('/content?file=/large.log&tail=5')).status).to.equal(502);
    });
});

describe('the memory for files', () => {
  // Long limits, so that a slow machine causes no time-out.
  const panel = { fileWaitMs: 60_000, queueMs: 60_000 };
  const service = useOwner({ rateLimitPerMinute: 1_000_000, panel });
  const get = (rest: string) => service.call('GET', `/servers/${id}/files${rest}`, { key: service.key });
  beforeEach(() => resetPanel(service, [server]));

  /** The peak memory use while calls are in progress, above the level before. */
  async function growthDuring(act: () => Promise<unknown>): Promise<number> {
    collectGarbage();
    const inUse = () => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = inUse();
    let most = before;
    // Rarely, because a collection takes long on a busy machine.
    const timer = setInterval(() => {
      collectGarbage();
      most = Math.max(most, inUse());
    }, 1_000);
    await act();
    clearInterval(timer);
    most = Math.max(most, inUse());
    return most - before;
  }

  it('is bounded during twenty simultaneous reads of 256 KiB of a file of 4 MiB', async () => {
    service.panel.filesOf(server).write('/large.txt', Buffer.alloc(4 * mebibyte, 'x'), 0);
    const answers: number[] = [];
    const growth = await growthDuring(() =>
      Promise.all(
        Array.from({ length: 20 }, async () => {
          const { status, text } = await get('/content?file=/large.txt');
          answers.push(status, text.length > 256 * 1024 ? 1 : 0);
        }),
      ),
    );
    expect(new Set(answers)).to.deep.equal(new Set([200, 1]));
    // The responses are in this process, too.
    expect(growth).to.be.below(60 * mebibyte);
  });

  it('holds one large file of a customer at a time', async () => {
    for (const name of ['a', 'b'])
      service.panel.filesOf(server).write(`/${name}.log`, Buffer.alloc(300_000, name), 0);
    const { after, release } = createHold();
    service.panel.nodeScript.download = { after };
    const asked = (call: string) => service.panel.requests.filter(({ path }) => path.includes(call));
    const reading = Promise.all(['a', 'b'].map((name) => get(`/content?file=/${name}.log&tail=1`)));
    await eventually(async () => expect(asked('files/list')).to.have.lengthOf(2));
    await eventually(async () => expect(asked('files/download')).not.to.have.lengthOf(0));
    // The other call has used up the time of a call.
    await get('');
    expect(asked('files/download')).to.have.lengthOf(1);
    release();
    expect((await reading).map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(asked('files/download')).to.have.lengthOf(2);
    service.panel.nodeScript.download = null;
  });

  it('is bounded for lists of 8 MiB: 30,000 names show the first thousand, and more get 502', async () => {
    const listOf = (count: number) => {
      const data = Array.from({ length: count }, (_, index) => ({
        attributes: {
          name: `file-${String(count - 1 - index).padStart(6, '0')}`,
          mode: '-rw-r--r--',
          size: 1,
          is_file: index % 10_000 !== 0,
          mimetype: 'text/plain',
          modified_at: '2026-01-01T02:00:00+02:00',
        },
      }));
      return { body: Buffer.from(JSON.stringify({ data })) };
    };
    await service.call('GET', '/servers', { key: service.key });
    service.panel.respondNext(listOf(30_000), listOf(90_000));
    const { body } = await get('');
    const names = body.files.map(({ name }: { name: string }) => name);
    expect([body.truncated, names.length]).to.deep.equal([true, 1_000]);
    expect([...names.slice(0, 4), names[999]]).to.deep.equal([
      ...['file-009999', 'file-019999', 'file-029999', 'file-000000', 'file-000996'],
    ]);
    expect(body.files[0]).to.include({ type: 'directory', modified_at: '2026-01-01T00:00:00.000Z' });
    expect((await get('')).status).to.equal(502);
  });
});
