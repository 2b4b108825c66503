/** Lists and reads of a server's files over REST behave the same on a Pterodactyl and a Pelican panel. */
import { hash } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { panelServer } from '../support/panel/attributes.ts';
import type { FileTree } from '../support/panel/file-tree.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const server = panelServer({ identifier: id });
const sha256 = (content: string | Buffer) => hash('sha256', content, 'hex');
const query = (values: Record<string, unknown>) => new URLSearchParams(values as Record<string, string>);

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`a server's files on ${dialect}`, () => {
    const service = useOwner({ rateLimitPerMinute: 1_000_000, dialect });
    let files: FileTree;

    beforeEach(() => {
      resetPanel(service, [server]);
      service.panel.files.clear();
      files = service.panel.filesOf(server);
    });

    const panelPaths = () =>
      service.panel.requests.flatMap(({ path }) => /\/files\/(.*)/.exec(path)?.[1] ?? []);

    const base = `/servers/${id}/files`;
    const get = (rest: string, values = {}) =>
      service.call('GET', `${base}${rest}?${query(values)}`, { key: service.key });
    const read = (file: string, values = {}) => get('/content', { file, ...values });

    describe('listing', () => {
      it('returns directories first, then by name, with all fields and no panel fields (200)', async () => {
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

      it('accepts an empty directory and one whose name has every allowed character (200)', async () => {
        const directory = '/a b%2f\\&?#+é"\'';
        files.makeDirectory(directory, 0);
        expect((await get('', { directory })).body).to.deep.equal({ directory, files: [], truncated: false });
      });

      it('continues with `after` behind a name, first through directories, then through all else (200)', async () => {
        for (let number = 0; number < 2_100; number += 1)
          files.write(`/many/${String(number).padStart(4, '0')}`, '', 0);
        for (const name of ['a', 'b']) files.makeDirectory(`/many/${name}`, 0);
        const names: string[] = [];
        const page = async (after?: string) => {
          const { body } = await get('', { directory: '/many', ...(after !== undefined && { after }) });
          return { ...body, names: body.files.map(({ name }: { name: string }) => name) };
        };
        for (let more = true; more; ) {
          const { truncated, names: shown } = await page(names.at(-1));
          expect(shown.length).to.be.at.most(1_000);
          names.push(...shown);
          more = truncated;
        }
        expect(names).to.have.lengthOf(2_102);
        expect(new Set(names).size).to.equal(2_102);
        expect([...names.slice(0, 3), names.at(-1)]).to.deep.equal(['a', 'b', '0000', '2099']);
        expect((await page('a')).names.slice(0, 2)).to.deep.equal(['b', '0000']);
        expect(await page('2099')).to.deep.include({ names: [], truncated: false });
      });

      it('rejects an `after` that is not a name or not in the directory (400)', async () => {
        for (const after of ['', 'none', 'x'.repeat(1_025)])
          expect((await get('', { after })).status).to.equal(400);
      });

      it('reports a missing directory, a path below one or below a file, and a file (404)', async () => {
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

    describe('reading', () => {
      it('returns a text with its bytes, hash and byte order mark (200)', async () => {
        const content = '\ufeffmotd=Grüße 🎮\r\n';
        files.write('/motd.txt', content, 0);
        expect((await read('/motd.txt')).body).to.deep.equal({
          file: {
            ...{ path: '/motd.txt', bytes: Buffer.byteLength(content), sha256: sha256(content) },
            ...{ content, encoding: 'utf-8', truncated: false },
          },
        });
      });

      it('returns an empty file, also with tail (200)', async () => {
        files.write('/empty', '', 0);
        const file = {
          path: '/empty',
          bytes: 0,
          sha256: sha256(''),
          content: '',
          encoding: 'utf-8',
          truncated: false,
        };
        expect((await read('/empty')).body).to.deep.equal({ file });
        expect((await read('/empty', { tail: 5 })).body).to.deep.equal({ file });
      });

      it('returns the first 256 KiB of a larger file in whole characters, without a hash (200)', async () => {
        files.write('/long.txt', `x${'ü'.repeat(200_000)}`, 0);
        const { file } = (await read('/long.txt')).body;
        expect([file.bytes, file.sha256, file.truncated]).to.deep.equal([400_001, null, true]);
        expect(file.content).to.equal(`x${'ü'.repeat(131_071)}`);
      });

      it('returns the last lines with tail, even of a file that the panel does not read (200)', async () => {
        const lines = Array.from({ length: 600_000 }, (_, index) => `line ${index}\n`).join('');
        files.write('/logs/huge.log', lines, 0);
        const { file } = (await read('/logs/huge.log', { tail: 2 })).body;
        expect(file).to.deep.equal({
          ...{ path: '/logs/huge.log', bytes: lines.length, sha256: sha256(lines) },
          ...{ content: 'line 599998\nline 599999\n', encoding: 'utf-8', truncated: true },
        });
      });

      it('returns the beginning of a file that the panel does not read, without asking it (200)', async () => {
        files.write('/logs/huge.log', 'line\n'.repeat(1_000_000), 0);
        const { file } = (await read('/logs/huge.log')).body;
        expect([file.bytes, file.sha256, file.truncated]).to.deep.equal([5_000_000, null, true]);
        expect(file.content).to.equal('line\n'.repeat(52_429).slice(0, 262_144));
        expect(service.panel.requests.filter(({ path }) => path.includes('contents'))).to.deep.equal([]);
      });

      it('returns at most 256 KiB of long lines with tail, from the start of a line or of a character (200)', async () => {
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

      const textOf = async (bytes: Buffer, values = {}) => {
        files.write('/text', bytes, 0);
        const { status, body } = await read('/text', values);
        return status === 200 ? body.file : body.error;
      };

      it('shows bytes that are not UTF-8 as U+FFFD, with the hash of the bytes (200)', async () => {
        const latin = Buffer.from('gr\u00fcn 10\u00b5s\n', 'latin1');
        for (const values of [{}, { tail: 1 }])
          expect(await textOf(latin, values)).to.deep.equal({
            ...{ path: '/text', bytes: 10, sha256: sha256(latin) },
            ...{ content: 'gr\ufffdn 10\ufffds\n', encoding: 'lossy', truncated: false },
          });
        expect(await textOf(Buffer.from('half \u00e4').subarray(0, -1))).to.include({
          ...{ content: 'half \ufffd', encoding: 'lossy' },
        });
        expect(await textOf(Buffer.from('as it is \ufffd'))).to.include({ encoding: 'utf-8' });
      });

      it('decodes UTF-16 and drops its byte order mark (200)', async () => {
        const little = Buffer.from('\ufeffmotd=gr\u00fcn \u4e2d\ud83c\udfae\r\nx=1\r\n', 'utf16le');
        const big = Buffer.from(little).swap16();
        const content = 'motd=gr\u00fcn \u4e2d\ud83c\udfae\r\nx=1\r\n';
        for (const [bytes, encoding] of [
          [little, 'utf-16le'],
          [big, 'utf-16be'],
        ] as const) {
          expect(await textOf(bytes)).to.deep.equal({
            ...{ path: '/text', bytes: bytes.length, sha256: sha256(bytes) },
            ...{ content, encoding, truncated: false },
          });
          expect(await textOf(bytes, { tail: 1 })).to.include({ content: 'x=1\r\n', encoding });
        }
        expect(await textOf(Buffer.from('\ufeff\u4e2d\u6587', 'utf16le'))).to.include({
          ...{ content: '\u4e2d\u6587', encoding: 'utf-16le' },
        });
        expect(await textOf(little.subarray(0, -1))).to.include({ encoding: 'lossy' });
        expect(await textOf(Buffer.from('\ufeffa\ud800', 'utf16le'))).to.include({
          ...{ content: 'a\ufffd', encoding: 'lossy' },
        });
      });

      it('returns the beginning and the end of a long UTF-16 file in whole characters (200)', async () => {
        const long = Buffer.from(`\ufeff${'\ud83c\udfae'.repeat(100_000)}\nlast\n`, 'utf16le');
        const first = await textOf(long);
        expect(first).to.include({ bytes: 400_014, sha256: null, encoding: 'utf-16le', truncated: true });
        expect(first.content).to.equal('\ud83c\udfae'.repeat(65_535));
        expect(await textOf(long, { tail: 1 })).to.include({ content: 'last\n', encoding: 'utf-16le' });
      });

      it('returns a part of a text that takes over 256 KiB as UTF-8 (200)', async () => {
        const chinese = await textOf(Buffer.from(`\ufeff${'\u4e2d'.repeat(131_071)}`, 'utf16le'));
        expect(chinese).to.include({ bytes: 262_144, truncated: true });
        expect(chinese.content).to.equal('\u4e2d'.repeat(87_381));
        const lossy = Buffer.alloc(262_144, 0xe4);
        expect((await textOf(lossy)).content).to.equal('\ufffd'.repeat(87_381));
        expect((await textOf(lossy, { tail: 5 })).content).to.equal('\ufffd'.repeat(87_381));
      });

      it('refuses NUL only in the returned part (400)', async () => {
        for (const bytes of [[0], [0x61, 0, 0xff], [0xff, 0xfe, 0x61, 0, 0, 0]])
          for (const values of [{}, { tail: 1 }])
            expect((await textOf(Buffer.from(bytes), values)).message).to.equal(
              'file is not text: it contains a NUL byte',
            );
        const mixed = Buffer.from('\0\nlast line\n');
        expect(await textOf(mixed, { tail: 1 })).to.include({ content: 'last line\n', encoding: 'utf-8' });
        expect(await textOf(Buffer.concat([Buffer.alloc(262_144, 'x'), mixed]))).to.include({
          encoding: 'utf-8',
        });
      });

      it('refuses UTF-32 by name (400)', async () => {
        const named = (name: string) => `file is ${name}, which is not supported: convert it to UTF-8`;
        const little = Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]);
        expect((await textOf(little)).message).to.equal(named('UTF-32LE'));
        expect((await textOf(Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]))).message).to.equal(
          named('UTF-32BE'),
        );
      });

      it('refuses a directory and a link (400) and reports a missing file (404)', async () => {
        files.link('/link', 0);
        for (const values of [{}, { tail: 3 }]) {
          expectError(await read('/logs', values), 'bad_request', 'file is a directory');
          expectError(await read('/link', values), 'bad_request', 'file is a link, or leads through one');
          for (const file of ['/none', '/none/x', '/server.properties/x'])
            expectError(await read(file, values), 'not_found', 'File not found');
        }
      });

      it('refuses a pipe, which lists show, without opening it (400)', async () => {
        files.pipe('/pipe', 0);
        expect((await get('')).body.files).to.deep.include({
          ...{ name: 'pipe', type: 'other', bytes: 0 },
          ...{ mime_type: 'text/plain; charset=utf-8', modified_at: '1970-01-01T00:00:00.000Z' },
        });
        service.panel.forget();
        const refused = 'file is a pipe, device or socket';
        expectError(await read('/pipe'), 'bad_request', refused);
        expectError(await read('/pipe', { tail: 1 }), 'bad_request', refused);
        expectError(await get('/download', { file: '/pipe' }), 'bad_request', refused);
        expect(panelPaths()).to.deep.equal(Array(3).fill('list?directory=%2F'));
      });

      it('refuses a file on the denylist for reading and for links (400)', async () => {
        service.panel.conditions.hasNewerNodes = true;
        files.write('/secret.cfg', 'password', 0);
        files.write('/large.key', Buffer.alloc(300_000, 'x'), 0);
        files.denied = /secret|\.key$/;
        const denied = 'The host does not allow this file to be read';
        for (const file of ['/secret.cfg', '/large.key']) {
          expectError(await read(file), 'bad_request', denied);
          expectError(await read(file, { tail: 1 }), 'bad_request', denied);
          expectError(await get('/download', { file }), 'bad_request', denied);
        }
      });

      it('finds no file with a name that is not UTF-8, and none in such a directory (404)', async () => {
        for (const path of ['/gr\ufffdn.txt', '/gr\ufffdn/a.txt']) {
          files.write(path, 'x', 0);
          expectError(await read(path), 'not_found', 'File not found');
          expectError(await get('/download', { file: path }), 'not_found', 'File not found');
          expectError(await get('', { directory: path }), 'not_found', 'File not found');
        }
      });

      it('refuses the beginning of a 5 GiB file, which is not text, and its end (400)', async () => {
        files.writeZeros('/core', 5 * 1024 ** 3, 0);
        expectError(await read('/core'), 'bad_request', 'file is not text: it contains a NUL byte');
        expect((await read('/core', { tail: 1 })).body.error.message).to.include('larger than 64 MiB');
      });
    });
  });
