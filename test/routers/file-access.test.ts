/** Which files a caller can reach: accepted paths, other users' servers, restricted keys, and what is recorded of a call. */
import { hash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createCli } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const server = panelServer({ identifier: id });

const taken = [
  '/a',
  '/directory/b.txt',
  '/...',
  '/..a',
  '/a..',
  '/.hidden',
  '/b/ a',
  '/a\\b',
  '/a%2f..',
  '/%2e%2e/a',
  '/ä🎮',
  '/b c/d',
];

/** Hostile paths, each with its error. */
const hostile: [path: string, problem: RegExp][] = [
  ...['', 'a', 'a/b', './a', '../a', '\\a', 'C:\\a', '%2fa', 'http://x/a', ' /a', '~/a'].map(
    (path): [string, RegExp] => [path, /must begin with a slash/],
  ),
  ...['//', '//a', '/a//b', '/.', '/..', '/a/..', '/../a', '/a/../b', '/a/./b', '/../../../etc/passwd'].map(
    (path): [string, RegExp] => [path, /must not (have an empty segment|end with a slash)/],
  ),
  ...['/a/', '/a/b/'].map((path): [string, RegExp] => [path, /must not end with a slash/]),
  ...['/a\0', '/a\0.txt', '/a\nb', '/a\r', '/a\tb', '/a\u001b[0m', '/\u007f', '/a\u0085b'].map(
    (path): [string, RegExp] => [path, /must not contain control characters/],
  ),
  ...['/ a', '/\u00a0a/b', '/\u2060a', '/a\u2060', '/a\u200c', '/a\u00ad', '/a\u{e0020}'].map(
    (path): [string, RegExp] => [path, /must not begin or end with white space/],
  ),
  ...['/a ', '/ ', '/a\u00a0', '/a\u2003', '/a\u3000', '/a\ufeff', '/a\u200b', '/a\u200e', '/a\u2028'].map(
    (path): [string, RegExp] => [path, /must not begin or end with white space/],
  ),
  ['/\ud800', /must be well-formed Unicode/],
  [`/${'a'.repeat(4096)}`, /must be at most 4096 characters/],
];

describe('file paths', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000 });
  const cli = createCli(() => ({ MONGODB_URI: service.databaseUri }));
  beforeEach(() => resetPanel(service, [server]));

  const base = `/servers/${id}/files`;
  const sendWith = (key: string) => (method: string, rest: string, body?: object) =>
    service.call(method, `${base}${rest}`, { key, ...(body && { body }) });
  const send = (...request: Parameters<ReturnType<typeof sendWith>>) => sendWith(service.key)(...request);

  /** Every call that takes a path, with the field that holds it. */
  const calls: [field: string, ask: (path: string) => ReturnType<typeof send>][] = [
    ['directory', (path) => send('GET', `?directory=${encodeURIComponent(path)}`)],
    ['file', (path) => send('GET', `/content?file=${encodeURIComponent(path)}`)],
    ['file', (path) => send('GET', `/download?file=${encodeURIComponent(path)}`)],
    ['file', (file) => send('PUT', '/content', { file, content: 'x' })],
    ['from', (from) => send('POST', '/move', { from, to: '/elsewhere' })],
    ['to', (to) => send('POST', '/move', { from: '/elsewhere', to })],
    ['files.0', (path) => send('POST', '/delete', { files: [path] })],
    ['directory', (directory) => send('POST', '/directory', { directory })],
    ['directory', (directory) => send('POST', '/upload-link', { directory })],
  ];

  for (const [index, [field, ask]] of calls.entries())
    it(`are rejected in ${field} of call ${index + 1} if hostile, before any panel call (400)`, async () => {
      for (const [path, problem] of hostile) {
        // A URL cannot hold half a character.
        if (!path.isWellFormed() && index < 3) continue;
        const { status, body } = await ask(path);
        expect([status, body.error.code], JSON.stringify(path)).to.deep.equal([400, 'bad_request']);
        expect(body.error.message).to.match(problem).and.to.include(`${field} must `);
      }
      expect(service.panel.requests).to.deep.equal([]);
    });

  it('reach exactly the file they name, even with odd characters (200 and 201)', async () => {
    for (const file of taken) {
      expect((await send('PUT', '/content', { file, content: file })).status, file).to.be.oneOf([200, 201]);
      const { body } = await send('GET', `/content?file=${encodeURIComponent(file)}`);
      expect(body.file?.content).to.equal(file);
      expect(String(service.panel.filesOf(server).get(file)?.content)).to.equal(file);
      const { url } = (await send('GET', `/download?file=${encodeURIComponent(file)}`)).body;
      expect(await (await fetch(url)).text()).to.equal(file);
    }
  });

  it('may name the root to list it (200) and to upload to it (201), but not as a file (400) or a new directory (409)', async () => {
    for (const [field, ask] of calls.filter(([field]) => field !== 'directory'))
      expect((await ask('/')).body.error.message).to.equal(`${field} must not be /, the server's root`);
    expect((await send('POST', '/directory', { directory: '/' })).status).to.equal(409);
    expect((await send('GET', '?directory=/')).status).to.equal(200);
    expect((await send('POST', '/upload-link', { directory: '/' })).status).to.equal(201);
  });

  it('are recorded in the audit, while file contents are recorded nowhere', async () => {
    const secret = `password-in-a-file-${randomUUID()}`;
    const file = '/secret.yml';
    const headers = { 'Idempotency-Key': randomUUID() };
    const write = () =>
      service.call('PUT', `${base}/content`, { key: service.key, body: { file, content: secret }, headers });
    const first = await write();
    const again = await write();
    expect([first.status, again.status, again.headers.get('Idempotency-Replayed')]).to.deep.equal([
      201,
      201,
      'true',
    ]);
    expect(again.text).to.equal(first.text);
    await send('GET', `/content?file=${file}`);
    await service.flushAudit();
    const stored = await Promise.all(
      Object.values(service.connection.models).map(({ collection }) =>
        service.connection.collection(collection.collectionName).find().toArray(),
      ),
    );
    expect(JSON.stringify(stored)).not.to.include(secret);
    expect(service.logLines.join()).not.to.include(secret);
    const { activity } = (await service.call('GET', '/activity', { key: service.key })).body;
    const noted = activity.map(({ operation, target, detail }: Record<string, string>) => ({
      operation,
      target,
      detail,
    }));
    expect(noted).to.deep.include({ operation: 'servers.files.write', target: id, detail: file });
    await eventually(async () => {
      const entries = (await service.call('GET', '/activity', { key: service.key })).body.activity;
      const reads = entries.filter(
        ({ operation }: { operation: string }) => operation === 'servers.files.read',
      );
      expect(reads[0]?.detail).to.equal(file);
    });
  });

  it("are cut to 200 characters in the audit, and none of another user's server is recorded", async () => {
    const { key } = service;
    const [one, other] = [`/${'a'.repeat(300)}`, `/${'b'.repeat(300)}`];
    const body = { from: one, to: other };
    await service.call('POST', `${base}/move`, { key, body });
    await service.call('POST', '/servers/00000000/files/move', { key, body });
    const listed: { target: string; detail: string | null }[] = await cli.json('audit list --limit 2');
    expect(new Map(listed.map(({ target, detail }) => [target, detail]))).to.deep.equal(
      new Map([
        ['00000000', null],
        [id, `${one.slice(0, 200)}, ${other.slice(0, 200)}`],
      ]),
    );
  });

  it('leave only a hash of the content under an idempotency key, which then accepts that content only', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const write = (content: string) =>
      service.call('PUT', `${base}/content`, { key: service.key, body: { file: '/a', content }, headers });
    expect((await write('one')).body.file.sha256).to.equal(hash('sha256', 'one', 'hex'));
    expect((await write('two')).status).to.equal(400);
    expect(String(service.panel.filesOf(server).get('/a')?.content)).to.equal('one');
  });
});
