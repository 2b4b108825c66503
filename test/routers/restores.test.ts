/** Restores that could lose data: of a missing archive, two at once, and the server's state meanwhile. */
import { createServer, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { refusal } from '../../server/panel/demo/answers.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { listenLocally } from '../support/local-server.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { startTestService } from '../support/service.ts';
import { id, panelRefusedMessage, path, useBackup } from '../support/use-backup.ts';
import { useStarted } from '../support/use-started.ts';

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`a restore on ${dialect} that deletes all files first`, () => {
    const { service, at } = useBackup(dialect);
    let answer = (_res: ServerResponse) => {};
    const node = useStarted(async () => {
      const asked: (string | undefined)[] = [];
      const http = createServer((req, res) => {
        asked.push(`${req.method} ${req.url}`);
        answer(res);
      });
      return { asked, ...(await listenLocally(http)) };
    });
    beforeEach(() => {
      node.asked.length = 0;
      service.panel.nodeScript.archiveUrl = `${node.url}/download/backup?token=once`;
    });
    after(() => {
      service.panel.nodeScript.archiveUrl = null;
    });

    const restore = () => at('POST', '/restore', { body: { delete_files: true } });
    const sent = () => service.panel.requests.filter(({ path: asked }) => asked.endsWith('/restore'));

    it('checks the archive at its node first and reads only its beginning (202)', async () => {
      let written = 0;
      answer = (res) => {
        res.writeHead(200, { 'Content-Length': 1024 * 1024 * 1024 });
        const more = () => {
          if (!res.destroyed && res.write(Buffer.alloc(64 * 1024))) written += 64 * 1024;
        };
        res.on('drain', more);
        more();
      };
      expect((await restore()).status).to.equal(202);
      expect(node.asked).to.deep.equal(['GET /download/backup?token=once']);
      expect(sent().map((call) => JSON.parse(call.body))).to.deep.equal([{ truncate: true }]);
      expect(written).to.be.below(64 * 1024 * 1024);
    });

    for (const status of [404, 403])
      it(`deletes nothing when a node or store answers ${status} for a missing archive (400)`, async () => {
        answer = (res) => res.writeHead(status).end('{}');
        expectError(await restore(), 'bad_request', 'The archive of the backup is gone: nothing was deleted');
        expect(sent()).to.deep.equal([]);
      });

    it('deletes nothing when it cannot find out whether the archive exists (502)', async () => {
      answer = (res) => res.writeHead(500).end();
      const message = 'The machine that hosts the server did not carry out the request; try again later';
      expectError(await restore(), 'upstream_error', message);
      expect(sent()).to.deep.equal([]);
    });

    it('says that the files may be gone when the node failed or its answer was lost (502)', async () => {
      answer = (res) => res.writeHead(200).end('a');
      await service.call('GET', '/servers', { key: service.key });
      const proper = { after: Promise.resolve() };
      const failed =
        dialect === 'pelican'
          ? refusal(500, 'RequestException', 'The request to the node failed.')
          : refusal(502, 'DaemonConnectionException', 'An error was encountered.');
      service.panel.respondNext(proper, proper, proper, failed);
      const event = 'The machine that hosts the server did not carry out the request';
      expectError(await restore(), 'upstream_error', `${event}; the files of the server may be gone`);
      service.panel.respondNext(proper, proper, proper, 'reset');
      const lost = 'The connection to the panel was lost; the restore may or may not have been started';
      expectError(await restore(), 'upstream_error', `${lost}, and the files of the server may be gone`);
      expect(sent()).to.have.lengthOf(2);
    });
  });

describe('the end of a restore', () => {
  const { service, at } = useBackup('pterodactyl');
  const get = async (rest: string) =>
    (await service.call('GET', `/servers${rest}`, { key: service.key })).body;
  /** Reports like the server's node to the panel. */
  const end = () => service.panel.servers.set(7, [panelServer({ identifier: id })]);

  for (const [what, look, during, after] of [
    [
      'GET /servers/{id}/resources',
      async () => (await get(`/${id}/resources`)).resources.state,
      'unknown',
      'offline',
    ],
    ['GET /servers/states', async () => (await get('/states')).states[0].state, 'unknown', 'offline'],
    ['GET /servers/{id}', async () => (await get(`/${id}`)).server.status, 'restoring_backup', null],
  ] as const)
    it(`appears within 3 seconds in ${what}, even when the restore takes minutes`, async () => {
      expect((await at('POST', '/restore', { body: {} })).status).to.equal(202);
      service.panel.forget();
      for (let second = 0; second < 190; second += 1) {
        service.clock.advance(1_000);
        expect(await look()).to.equal(during);
      }
      expect(service.panel.requests).to.have.length.within(1, 130);
      end();
      service.clock.advance(3_000);
      expect(await look()).to.equal(after);
    });
});

describe('a restore with two processes serving the same customers', () => {
  const { service, at } = useBackup('pterodactyl', { isShared: true });
  const other = useStarted(() => {
    const { url, applicationKey, clientKey } = service.panel;
    const panel = { url, applicationKey, clientKey };
    return startTestService({ databaseUri: service.databaseUri, isShared: true, panel });
  });
  const statusAt = async ({ call }: Pick<typeof other, 'call'>) =>
    (await call('GET', `/servers/${id}`, { key: service.key })).body.server.status;

  it('starts only once when two requests arrive at once', async () => {
    const restores = [service, other, service, other].map(({ call }) =>
      call('POST', `${path}/restore`, { key: service.key, body: {} }),
    );
    const answers = await Promise.all(restores);
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([202, 400, 400, 400]);
    for (const { status, body } of answers)
      if (status === 400)
        expect(body.error.message).to.be.oneOf([
          'Another restore of the server is in progress',
          panelRefusedMessage('The server is being restored from a backup', 'restore'),
        ]);
    const sent = service.panel.requests.filter(({ path: asked }) => asked.endsWith('/restore'));
    expect(sent).to.have.lengthOf(1);
  });

  it('is shown as the status by all processes once accepted, whatever they had cached', async () => {
    expect([await statusAt(service), await statusAt(other)]).to.deep.equal([null, null]);
    expect((await at('POST', '/restore', { body: {} })).status).to.equal(202);
    expect(await statusAt(service)).to.equal('restoring_backup');
    const noted = service.connection.collection('server_changes');
    await eventually(async () => expect(await noted.countDocuments({ ownerId: 7 })).to.equal(1));
    other.clock.advance(1_000);
    expect(await statusAt(other)).to.equal('restoring_backup');
  });
});
