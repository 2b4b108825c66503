/** Changes of a server's files over REST behave the same on a Pterodactyl and a Pelican panel. */
import { hash } from 'node:crypto';
import { expect } from 'chai';
import { refusal } from '../../server/panel/demo/answers.ts';
import { createHold } from '../server/panel/start-panel-test.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { panelServer } from '../support/panel/attributes.ts';
import type { FileTree } from '../support/panel/file-tree.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const server = panelServer({ identifier: id });
const sha256 = (content: string | Buffer) => hash('sha256', content, 'hex');

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`changing files on ${dialect}`, () => {
    const service = useOwner({ rateLimitPerMinute: 1_000_000, dialect });
    let files: FileTree;

    beforeEach(() => {
      resetPanel(service, [server]);
      service.panel.files.clear();
      files = service.panel.filesOf(server);
    });

    const base = `/servers/${id}/files`;
    const send = (method: string, rest: string, body: object) =>
      service.call(method, `${base}${rest}`, { key: service.key, body });
    const write = (body: object) => send('PUT', '/content', body);
    const panelPaths = () =>
      service.panel.requests.map(({ path }) => path).filter((path) => /files/.test(path));

    describe('by a write', () => {
      const file = '/config/new.yml';

      it('creates a file with the directories above it, and writes the same again (201 and 200)', async () => {
        const content = 'a: 1\n'.repeat(30_000);
        const answer = { file: { path: file, bytes: 150_000, sha256: sha256(content) } };
        const first = await write({ file, content });
        const second = await write({ file, content });
        expect([first.status, first.body, second.status]).to.deep.equal([201, answer, 200]);
        expect(String(files.get(file)?.content)).to.equal(content);
      });

      it('creates an empty file and content that looks like JSON (201)', async () => {
        expect((await write({ file, content: '' })).status).to.equal(201);
        expect(files.get(file)?.content).to.deep.equal(Buffer.alloc(0));
        await write({ file, content: '{"file":"/other"}' });
        expect(String(files.get(file)?.content)).to.equal('{"file":"/other"}');
      });

      it('replaces a file only with the hash of its content, and answers 409 to another hash or a missing file (200)', async () => {
        await write({ file, content: 'ä' });
        const changed = 'The file has changed or is gone: read it again';
        expectError(await write({ file, content: 'b', if_sha256: sha256('b') }), 'conflict', changed);
        expect((await write({ file, content: 'b', if_sha256: sha256('ä') })).status).to.equal(200);
        files.delete(file);
        expectError(await write({ file, content: 'c', if_sha256: sha256('b') }), 'conflict', changed);
        expect(files.get(file)).to.equal(undefined);
      });

      it('creates a file with if_sha256 null (201), and answers 409 if one exists', async () => {
        expect((await write({ file, content: 'a', if_sha256: null })).status).to.equal(201);
        const refused = await write({ file, content: 'b', if_sha256: null });
        expectError(refused, 'conflict', 'A file already exists at this path');
        expect(String(files.get(file)?.content)).to.equal('a');
      });

      it('accepts the hash of a file that the panel does not read (200), but not of one over 16 MiB (400)', async () => {
        const before = Buffer.alloc(5_000_000, 'x');
        files.write(file, before, 0);
        expect((await write({ file, content: 'b', if_sha256: sha256(before) })).status).to.equal(200);
        const large = Buffer.alloc(16 * 1024 * 1024 + 1, 'x');
        files.write(file, large, 0);
        service.panel.forget();
        const refused = await write({ file, content: 'b', if_sha256: sha256(large) });
        const message =
          'file is larger than 16 MiB, the maximum that can be compared: write it without if_sha256';
        expectError(refused, 'bad_request', message);
        expect(panelPaths().filter((path) => !path.includes('files/list'))).to.deep.equal([]);
      });

      it('rejects the hash of a file whose text does not show all bytes (400); writes without it, then with the new hash (200)', async () => {
        const lossy = Buffer.from([0x61, 0xe4]);
        files.write(file, lossy, 0);
        const { content } = (await service.call('GET', `${base}/content?file=${file}`, { key: service.key }))
          .body.file;
        const refused = await write({ file, content, if_sha256: sha256(lossy) });
        expect([refused.status, refused.body.error.message]).to.deep.equal([
          400,
          'The file contains bytes that are not UTF-8, which its text does not show: writing it would lose them. Leave out if_sha256 to overwrite it',
        ]);
        expect(files.get(file)?.content).to.deep.equal(lossy);
        const { sha256: written } = (await write({ file, content })).body.file;
        expect((await write({ file, content: 'b', if_sha256: written })).status).to.equal(200);
      });

      it('keeps UTF-16 and its byte order mark, which the text may include (200)', async () => {
        for (const encoding of ['utf-16le', 'utf-16be'] as const) {
          const bytes = Buffer.from('\ufeffgr\u00fcn\r\n', 'utf16le');
          if (encoding === 'utf-16be') bytes.swap16();
          files.write(file, bytes, 0);
          for (const content of ['gr\u00fcn\r\n', '\ufeffgr\u00fcn\r\n']) {
            const { status, body } = await write({ file, content, encoding, if_sha256: sha256(bytes) });
            expect([status, body]).to.deep.equal([
              200,
              { file: { path: file, bytes: bytes.length, sha256: sha256(bytes) } },
            ]);
            expect(files.get(file)?.content).to.deep.equal(bytes);
          }
        }
        expect((await write({ file, content: '', encoding: 'latin1' })).status).to.equal(400);
      });

      it('refuses a directory, a link, and a path below a file (400)', async () => {
        files.link('/link', 0);
        expectError(await write({ file: '/logs', content: '' }), 'bad_request', 'file is a directory');
        const link = 'file is a link, or leads through one';
        expectError(await write({ file: '/link', content: '' }), 'bad_request', link);
        for (const below of ['/server.properties/x', '/server.properties/x/y'])
          expectError(
            await write({ file: below, content: '' }),
            'bad_request',
            'The path leads through a file',
          );
        expect(panelPaths().some((path) => path.includes('write'))).to.equal(false);
      });

      it('refuses content over the byte limit (400) and accepts content at the limit with every byte escaped (200)', async () => {
        const { body } = await write({ file, content: 'ü'.repeat(131_073) });
        expect(body.error.message).to.equal('content must be at most 262144 bytes of UTF-8');
        const wide = await write({ file, content: 'x'.repeat(131_072), encoding: 'utf-16le' });
        expect(wide.body.error.message).to.equal('content must be at most 262144 bytes of UTF-16');
        expect((await write({ file, content: '\u0001'.repeat(262_144) })).status).to.equal(201);
        expect((await write({ file, content: 'ü'.repeat(131_072) })).status).to.equal(200);
        const { content } = (await service.call('GET', `${base}/content?file=${file}`, { key: service.key }))
          .body.file;
        expect(content).to.equal('ü'.repeat(131_072));
      });

      it('refuses a body over 2 MiB (413)', async () => {
        const tooLong = await service.call('PUT', `${base}/content`, {
          key: service.key,
          body: `{"file":"${file}","content":"a"}${' '.repeat(2 * 1024 * 1024)}`,
        });
        expectError(tooLong, 'payload_too_large', 'The body must be at most 2097152 bytes');
      });
    });

    describe('by a move', () => {
      it('moves a file into new directories, and a directory with its contents (200)', async () => {
        expect(
          (await send('POST', '/move', { from: '/server.properties', to: '/old/a/b' })).body,
        ).to.deep.equal({
          moved: true,
        });
        await send('POST', '/move', { from: '/logs', to: '/old/logs' });
        expect(['/server.properties', '/logs/latest.log'].map((path) => files.get(path))).to.deep.equal([
          undefined,
          undefined,
        ]);
        expect(String(files.get('/old/logs/latest.log')?.content)).to.equal('Starting\nDone\n');
      });

      it('refuses a missing source (404), an existing target (409), and a move onto itself, into itself or below a file (400)', async () => {
        const move = (from: string, to: string) => send('POST', '/move', { from, to });
        expectError(await move('/none', '/x'), 'not_found', 'File not found');
        const taken = 'A directory already exists at this path';
        expectError(await move('/server.properties', '/logs'), 'conflict', taken);
        for (const to of ['/logs', '/logs/inner'])
          expectError(
            await move('/logs', to),
            'bad_request',
            'to must not be from itself, or a path inside it',
          );
        const below = 'The path leads through a file';
        expectError(await move('/logs', '/server.properties/x'), 'bad_request', below);
        expect(panelPaths().some((path) => path.includes('rename'))).to.equal(false);
      });
    });

    describe('by a deletion', () => {
      it('deletes files and directories with their contents (200)', async () => {
        const { body } = await send('POST', '/delete', { files: ['/logs', '/server.properties', '/logs'] });
        expect(body).to.deep.equal({ deleted: true });
        expect(files.list('/').map(([name]) => name)).to.deep.equal(['plugins']);
      });

      it('deletes twenty files with one list of each of their directories before and after (200)', async () => {
        const paths = Array.from({ length: 20 }, (_, index) => `/many/${index % 5}/${index}.txt`);
        for (const path of paths) files.write(path, 'x', 0);
        expect((await send('POST', '/delete', { files: paths })).status).to.equal(200);
        expect(panelPaths().filter((path) => path.includes('files/list'))).to.have.lengthOf(10);
        expect(paths.filter((path) => files.get(path))).to.deep.equal([]);
      });

      it('deletes nothing when one file is missing (404)', async () => {
        const refused = await send('POST', '/delete', { files: ['/server.properties', '/none'] });
        expectError(refused, 'not_found', 'File not found');
        expect(files.get('/server.properties')).not.to.equal(undefined);
      });

      it('refuses a file in a missing directory (404)', async () => {
        const refused = await send('POST', '/delete', {
          files: ['/server.properties', '/none/a', '/none/b'],
        });
        expectError(refused, 'not_found', 'File not found');
        expect(files.get('/server.properties')).not.to.equal(undefined);
      });

      it('refuses an empty list, more than 20 files, and more than five directories (400)', async () => {
        for (const count of [0, 21]) {
          const paths = Array.from({ length: count }, (_, index) => `/f${index}`);
          expect((await send('POST', '/delete', { files: paths })).status).to.equal(400);
        }
        const paths = Array.from({ length: 6 }, (_, index) => `/${index}/file`);
        const refused = await send('POST', '/delete', { files: paths });
        expectError(refused, 'bad_request', 'files must be in at most 5 directories');
        expect(panelPaths()).to.deep.equal([]);
      });

      it('fails when a file still exists after the panel reports it deleted (400)', async () => {
        await service.call('GET', `/servers/${id}/files?directory=/`, { key: service.key });
        service.panel.forget();
        const list = { after: Promise.resolve() };
        service.panel.respondNext(list, { status: 204 });
        const refused = await send('POST', '/delete', { files: ['/server.properties'] });
        expectError(refused, 'bad_request', 'The host does not allow some of these files to be deleted');
      });

      it('succeeds when the server recreates a file at once, or another caller deletes it first (200)', async () => {
        await service.call('GET', `/servers/${id}/files?directory=/`, { key: service.key });
        service.panel.forget();
        const list = { after: Promise.resolve() };
        const answered =
          dialect === 'pelican'
            ? refusal(500, 'RequestException')
            : refusal(404, 'DaemonConnectionException');
        const deleteLog = () => send('POST', '/delete', { files: ['/logs/latest.log'] });
        const { after, release } = createHold();
        service.panel.respondNext(list, list, { after });
        const deleting = deleteLog();
        await eventually(async () => expect(panelPaths()).to.have.lengthOf(3));
        files.write('/logs/latest.log', 'anew', 60_000);
        release();
        expect((await deleting).body).to.deep.equal({ deleted: true });
        service.panel.respondNext(list, { insteadOfDone: answered });
        expect((await deleteLog()).body).to.deep.equal({ deleted: true });
      });
    });

    it('refuses every change of a file on the denylist (400)', async () => {
      const denied = 'The host does not allow this file to be changed';
      service.panel.conditions.hasNewerNodes = true;
      files.write('/secret.cfg', 'password', 0);
      files.denied = /secret/;
      for (const [method, rest, body, message] of [
        ['PUT', '/content', { file: '/secret.cfg', content: 'x' }, denied],
        ['PUT', '/content', { file: '/secret.new', content: 'x' }, denied],
        [
          ...['PUT', '/content'],
          { file: '/secret.cfg', content: 'x', if_sha256: sha256('password') },
          'The host does not allow this file to be read',
        ],
        ['POST', '/move', { from: '/secret.cfg', to: '/open.cfg' }, denied],
        ['POST', '/move', { from: '/server.properties', to: '/secret.new' }, denied],
        [
          ...['POST', '/delete'],
          { files: ['/secret.cfg', '/logs'] },
          'The host does not allow some of these files to be deleted',
        ],
      ] as [string, string, object, string][])
        expectError(await send(method, rest, body), 'bad_request', message);
      expect(files.list('/').map(([name]) => name)).to.have.members([
        ...['plugins', 'server.properties', 'secret.cfg'],
      ]);
      expect(String(files.get('/secret.cfg')?.content)).to.equal('password');
    });

    it('never writes to a pipe (400), but moves and deletes it (200)', async () => {
      files.pipe('/pipe', 0);
      const refused = await write({ file: '/pipe', content: 'x' });
      expectError(refused, 'bad_request', 'file is a pipe, device or socket');
      const taken = await send('POST', '/move', { from: '/logs', to: '/pipe' });
      expectError(taken, 'conflict', 'A pipe, device or socket already exists at this path');
      expect((await send('POST', '/move', { from: '/pipe', to: '/moved' })).status).to.equal(200);
      expect((await send('POST', '/delete', { files: ['/moved'] })).status).to.equal(200);
    });

    describe('without an answer from the node', () => {
      const proper = { after: Promise.resolve() };
      const silent =
        dialect === 'pelican'
          ? refusal(500, 'ConnectionException', 'cURL error 28')
          : refusal(504, 'DaemonConnectionException', 'Could not establish a connection.');
      beforeEach(() => service.call('GET', `/servers/${id}/files?directory=/`, { key: service.key }));

      it('fails with an open outcome for a move that was carried out (502)', async () => {
        service.panel.respondNext(proper, proper, { insteadOfDone: silent });
        const moved = await send('POST', '/move', { from: '/server.properties', to: '/moved' });
        expectError(
          moved,
          'upstream_error',
          'The machine that hosts the server did not answer in time; the file may have been moved',
        );
        expect(files.get('/moved')).not.to.equal(undefined);
      });

      it('fails with an open outcome for a created directory (502)', async () => {
        service.panel.respondNext(proper, { insteadOfDone: silent });
        const { status, body } = await send('POST', '/directory', { directory: '/new' });
        expect([status, body.error.message]).to.deep.equal([
          502,
          'The machine that hosts the server did not answer in time; the directory may have been created',
        ]);
      });
    });

    it('answers 409 when a file appears at the target meanwhile and the node refuses', async () => {
      await service.call('GET', `/servers/${id}/files?directory=/`, { key: service.key });
      const { after, release } = createHold();
      service.panel.respondNext({ after: Promise.resolve() }, { after: Promise.resolve() }, { after });
      const moving = send('POST', '/move', { from: '/server.properties', to: '/taken' });
      await eventually(async () => expect(panelPaths().at(-1)).to.include('rename'));
      files.write('/taken', 'x', 0);
      release();
      expectError(await moving, 'conflict', 'A file already exists at this path');
    });
  });
