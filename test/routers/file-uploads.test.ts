/** Upload links lead files from anywhere into a directory of a server, on a Pterodactyl and a Pelican panel. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { panelServer } from '../support/panel/attributes.ts';
import type { FileTree } from '../support/panel/file-tree.ts';
import { resetPanel } from '../support/server-owner.ts';
import { linkSignature, signedUntil } from '../support/signed-links.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const server = panelServer({ identifier: id });

function formOf(files: Record<string, string | Buffer>) {
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) form.append('files', new Blob([content]), name);
  return form;
}

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`POST /servers/{server_identifier}/files/upload-link on ${dialect}`, () => {
    const service = useOwner({ rateLimitPerMinute: 1_000_000, dialect, logLevel: 'info' });
    let files: FileTree;

    beforeEach(() => {
      resetPanel(service, [server]);
      service.panel.files.clear();
      files = service.panel.filesOf(server);
    });

    const create = (directory: string, headers = {}) =>
      service.call('POST', `/servers/${id}/files/upload-link`, {
        ...{ key: service.key, body: { directory }, headers },
      });
    const upload = async (directory: string, body: FormData) => {
      const { url, method } = (await create(directory)).body.upload;
      return fetch(url, { method, body });
    };

    it('returns the link of the panel with the directory added, and until when it works (201)', async () => {
      const { status, body } = await create('/plugins');
      expect(status).to.equal(201);
      expect(body).to.deep.equal({
        upload: { url: body.upload.url, method: 'POST', field: 'files', expires_at: signedUntil },
      });
      expect(body.upload.url).to.match(
        /^http:\/\/127\.0\.0\.1:\d+\/upload\/file\?token=[\w.-]+&directory=%2Fplugins$/,
      );
    });

    it('leads several files into the directory and nowhere else, over files of the same name, byte for byte', async () => {
      const jar = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
      files.write('/plugins/old.jar', 'old', 0);
      const sent = formOf({ 'new.jar': jar, 'old.jar': 'newer', '../../outside': 'x' });
      expect((await upload('/plugins', sent)).status).to.equal(200);
      expect(files.get('/plugins/new.jar')?.content?.equals(jar)).to.equal(true);
      expect(String(files.get('/plugins/old.jar')?.content)).to.equal('newer');
      expect(files.list('/plugins').map(([name]) => name)).to.have.members([
        ...['RaidTimer.jar', 'old.jar', 'new.jar', 'outside'],
      ]);
    });

    it('leads into a directory that does not exist yet, and into one with odd characters', async () => {
      for (const directory of ['/none/at/all', '/a b%2f\\&?#+=é"\'🎮']) {
        expect((await upload(directory, formOf({ 'a.txt': directory }))).status).to.equal(200);
        expect(String(files.get(`${directory}/a.txt`)?.content)).to.equal(directory);
      }
    });

    it('works once', async () => {
      const { url } = (await create('/plugins')).body.upload;
      const statuses: number[] = [];
      for (const name of ['a.jar', 'b.jar'])
        statuses.push((await fetch(url, { method: 'POST', body: formOf({ [name]: 'x' }) })).status);
      expect(statuses).to.deep.equal([200, 403]);
      expect(files.get('/plugins/b.jar')).to.equal(undefined);
    });

    it('is refused for a file, a link, a pipe and what would be below them (400), without a link of the panel', async () => {
      files.link('/link', 0);
      files.pipe('/pipe', 0);
      for (const [directory, message] of [
        ['/server.properties', 'directory is a file'],
        ['/link', 'directory is a link'],
        ['/pipe', 'directory is a pipe, device or socket'],
        ['/server.properties/a', 'directory leads through a file'],
        ['/link/a/b', 'directory leads through a link'],
      ] as const)
        expectError(await create(directory), 'bad_request', message);
      expect(service.panel.requests.filter(({ path }) => path.includes('files/upload'))).to.deep.equal([]);
    });

    it('is refused while the machine that hosts the server is gone (502)', async () => {
      service.panel.conditions.deadNodes.add(1);
      expect((await create('/plugins')).status).to.equal(502);
    });

    it('never leads to anything other than a node (502)', async () => {
      for (const url of [
        'http://169.254.169.254/upload/file?token=a',
        'http://user:password@127.0.0.1/upload/file?token=a',
        'http://127.0.0.1/upload/file?token=a#directory=',
        'ftp://127.0.0.1/upload/file?token=a',
      ]) {
        service.panel.respondAbout('files/upload', { body: { object: 'signed_url', attributes: { url } } });
        const message = 'The panel sent a response that could not be understood';
        expectError(await create('/plugins'), 'upstream_error', message);
      }
    });

    it('is in no log, audit entry or stored response, also with an Idempotency-Key', async () => {
      const headers = { 'Idempotency-Key': 'the-same' };
      for (const { headers: sent } of [await create('/plugins', headers), await create('/plugins', headers)])
        expect(sent.get('Idempotency-Replayed')).to.equal(null);
      await service.flushAudit();
      const stored = await Promise.all(
        (await service.connection.listCollections()).map(({ name }) =>
          service.connection.collection(name).find().toArray(),
        ),
      );
      expect(JSON.stringify(stored)).to.include('"detail":"/plugins"').and.not.to.include(linkSignature);
      expect(service.logLines.join()).to.include('upload-link').and.not.to.include(linkSignature);
      const { activity } = (await service.call('GET', '/activity', { key: service.key })).body;
      expect(activity[0]).to.include({ operation: 'servers.files.createUploadLink', detail: '/plugins' });
    });
  });
