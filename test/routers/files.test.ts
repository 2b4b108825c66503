/** Lists and reads of a server's files through REST, the same on a Pterodactyl and a Pelican panel. */
import { hash } from 'node:crypto';
import { expect } from 'chai';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import type { FileTree } from '../../server/panel/demo/file-tree.ts';
import { expectError } from '../support/expect-error.ts';
import { resetPanel, startWithOwner } from '../support/server-owner.ts';
import { useStarted } from '../support/use-started.ts';

const id = 'a1b2c3d4';
const server = panelServer({ identifier: id });
const sha256 = (content: string | Buffer) => hash('sha256', content, 'hex');
const query = (values: Record<string, unknown>) => new URLSearchParams(values as Record<string, string>);

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`files of a server on ${dialect}`, () => {
    const service = useStarted(() => startWithOwner({ rateLimitPerMinute: 1_000_000, dialect }));
    let files: FileTree;

    beforeEach(() => {
      resetPanel(service, [server]);
      service.panel.files.clear();
      files = service.panel.filesOf(server);
    });

    const base = `/servers/${id}/files`;
    const get = (rest: string, values = {}) =>
      service.call('GET', `${base}${rest}?${query(values)}`, { key: service.key });
    const read = (file: string, values = {}) => get('/content', { file, ...values });

    describe('list', () => {
      it('200: directories first, then by name, with all fields and nothing of the panel', async () => {
        files.link('/zlink', 0);
        const { status, body } = await get('');
        expect([status, body.directory, body.truncated]).to.deep.equal([200, '/', false]);
        expect(
          body.files.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`),
        ).to.deep.equal(['logs directory', 'plugins directory', 'server.properties file', 'zlink link']);
        expect(body.files[2]).to.deep.equal({
          ...{ name: 'server.properties', type: 'file', bytes: 33 },
          ...{ mime_type: 'text/plain; charset=utf-8', modified_at: '1970-01-01T00:00:00.000Z' },
        });
      });

      it('200: an empty directory, and one whose name has every character that a path may have', async () => {
        const directory = '/a b%2f\\&?#+é"\'';
        files.makeDirectory(directory, 0);
        expect((await get('', { directory })).body).to.deep.equal({ directory, files: [], truncated: false });
      });

      it('404: a directory that is not there, below one that is not, below a file, and a file', async () => {
        for (const directory of [
          '/none',
          '/none/at/all',
          '/logs/none',
          '/server.properties/x',
          '/server.properties',
        ])
          expectError(await get('', { directory }), 'not_found', 'Directory not found');
      });
    });

    describe('read', () => {
      it('200: a text with its bytes, hash and byte order mark', async () => {
        const content = '\ufeffmotd=Grüße 🎮\r\n';
        files.write('/motd.txt', content, 0);
        expect((await read('/motd.txt')).body).to.deep.equal({
          file: {
            ...{ path: '/motd.txt', bytes: Buffer.byteLength(content), sha256: sha256(content) },
            ...{ content, truncated: false },
          },
        });
      });

      it('200: an empty file, also with tail', async () => {
        files.write('/empty', '', 0);
        const file = { path: '/empty', bytes: 0, sha256: sha256(''), content: '', truncated: false };
        expect((await read('/empty')).body).to.deep.equal({ file });
        expect((await read('/empty', { tail: 5 })).body).to.deep.equal({ file });
      });

      it('200: the first 256 KiB of a larger file, whole characters, without a hash', async () => {
        files.write('/long.txt', `x${'ü'.repeat(200_000)}`, 0);
        const { file } = (await read('/long.txt')).body;
        expect([file.bytes, file.sha256, file.truncated]).to.deep.equal([400_001, null, true]);
        expect(file.content).to.equal(`x${'ü'.repeat(131_071)}`);
      });

      it('200 with tail: the last lines, of a file that the panel does not read as well', async () => {
        const lines = Array.from({ length: 600_000 }, (_, index) => `line ${index}\n`).join('');
        files.write('/logs/huge.log', lines, 0);
        const { file } = (await read('/logs/huge.log', { tail: 2 })).body;
        expect(file).to.deep.equal({
          ...{ path: '/logs/huge.log', bytes: lines.length, sha256: sha256(lines) },
          ...{ content: 'line 599998\nline 599999\n', truncated: true },
        });
        expectError(
          await read('/logs/huge.log'),
          'bad_request',
          'file is larger than the panel reads: read its end with tail, or get a download link for it',
        );
      });

      it('200 with tail: of long lines at most 256 KiB, from the start of a line or else of a character', async () => {
        files.write('/lines', `${'a'.repeat(200_000)}\n${'b'.repeat(100_000)}\n${'c'.repeat(100_000)}`, 0);
        expect((await read('/lines', { tail: 3 })).body.file.content).to.match(/^b{100000}\nc{100000}$/);
        files.write('/line', `${'ü'.repeat(200_000)}x`, 0);
        expect((await read('/line', { tail: 1 })).body.file.content).to.equal(`${'ü'.repeat(131_071)}x`);
        files.write('/few', 'one\ntwo', 0);
        expect((await read('/few', { tail: 1 })).body.file).to.include({ content: 'two', truncated: true });
        expect((await read('/few', { tail: 9 })).body.file).to.include({
          content: 'one\ntwo',
          truncated: false,
        });
      });

      it('400: what is not text', async () => {
        const message = 'file is not text: it holds NUL, or is not valid UTF-8';
        for (const bytes of [[0], [0x61, 0xff], [0xe4], [0xff, 0xfe, 0x61, 0], [0x61, 0xc3]]) {
          files.write('/binary', Buffer.from(bytes), 0);
          expectError(await read('/binary'), 'bad_request', message);
          expectError(await read('/binary', { tail: 1 }), 'bad_request', message);
        }
      });

      it('400: a directory and a link; 404: what is not there', async () => {
        files.link('/link', 0);
        for (const values of [{}, { tail: 3 }]) {
          expectError(await read('/logs', values), 'bad_request', 'file is a directory');
          expectError(await read('/link', values), 'bad_request', 'file is a link, or leads through one');
          for (const file of ['/none', '/none/x', '/server.properties/x'])
            expectError(await read(file, values), 'not_found', 'File not found');
        }
      });

      it('400: more than 64 MiB with tail', async () => {
        files.write('/world.zip', Buffer.alloc(64 * 1024 * 1024 + 1, 'x'), 0);
        const { body } = await read('/world.zip', { tail: 1 });
        expect(body.error.message).to.include('larger than 64 MiB');
      });
    });
  });
