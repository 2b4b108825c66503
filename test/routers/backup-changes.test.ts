/** Backups that are deleted and restored, however the panel answers. */
import { expect } from 'chai';
import { refusal } from '../../server/panel/demo/answers.ts';
import { expectError } from '../support/expect-error.ts';
import { toolErrorOf } from '../support/mcp.ts';
import { panelBackup, panelServer } from '../support/panel/attributes.ts';
import {
  backupMissing,
  id,
  panelRefusedMessage,
  pendingBackup,
  useBackup,
  uuid,
} from '../support/use-backup.ts';

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`a backup that is changed on ${dialect}`, () => {
    const { service, at, callTool, clientCalls, setServer } = useBackup(dialect);

    describe('DELETE /servers/{id}/backups/{uuid}', () => {
      it('200: deletes it with one call, and the list is without it at once', async () => {
        const list = () => service.call('GET', `/servers/${id}/backups`, { key: service.key });
        expect((await list()).body.backups).to.have.lengthOf(1);
        service.panel.forget();
        const { status, body } = await at('DELETE');
        expect([status, body]).to.deep.equal([200, { deleted: true }]);
        expect(clientCalls()).to.deep.equal([`DELETE backups/${uuid}`]);
        expect((await list()).body.backups).to.deep.equal([]);
        expectError(await at('DELETE'), 'not_found', backupMissing);
      });

      it('400: for a locked backup, which stays', async () => {
        service.panel.backups.set(id, [panelBackup({ uuid, is_locked: true })]);
        const message = panelRefusedMessage('The backup is locked', 'deletion');
        expect((await at('DELETE')).body.error.code).to.equal('bad_request');
        const tool = await callTool('delete_server_backup', { server_identifier: id, backup_uuid: uuid });
        expect(toolErrorOf(tool).error).to.deep.equal({ code: 'bad_request', message });
        expect(service.panel.backups.get(id)).to.have.lengthOf(1);
      });

      it('404: for a backup of another server', async () => {
        service.panel.servers.set(7, [
          panelServer({ identifier: id }),
          panelServer({ identifier: 'second', uuid: 'second' }),
        ]);
        service.clock.advance(60_000);
        const other = await service.call('DELETE', `/servers/second/backups/${uuid}`, { key: service.key });
        expectError(other, 'not_found', backupMissing);
        expect(service.panel.backups.get(id)).to.have.lengthOf(1);
      });

      it('502: for a server that is suspended, and for a node that is away', async () => {
        setServer({ suspended: true });
        expectError(
          await at('DELETE'),
          'upstream_error',
          panelRefusedMessage('The server is suspended', 'request'),
        );
        setServer({});
        service.panel.conditions.deadNodes.add(1);
        const message = 'The machine that hosts the server did not carry out the request; try again later';
        expectError(await at('DELETE'), 'upstream_error', message);
      });

      it('502: leaves open whether it was deleted when the connection breaks, and sends it once', async () => {
        await at('GET');
        service.panel.forget();
        service.panel.respondNext('reset');
        const message =
          'The connection to the panel was lost; the deletion may or may not have been carried out';
        expectError(await at('DELETE'), 'upstream_error', message);
        expect(clientCalls()).to.deep.equal([`DELETE backups/${uuid}`]);
      });
    });

    describe('POST /servers/{id}/backups/{uuid}/restore', () => {
      const restore = (body: object = {}) => at('POST', '/restore', { body });
      const sent = () => service.panel.requests.filter(({ path: asked }) => asked.endsWith('/restore'));

      for (const deletes of [undefined, false])
        it(`202: asks the panel once, with delete_files ${deletes}`, async () => {
          const { status, body } = await restore(deletes === undefined ? {} : { delete_files: deletes });
          expect(status).to.equal(202);
          expect(body).to.deep.equal({ server: id, backup: uuid, status: 'accepted' });
          expect(sent().map((call) => JSON.parse(call.body))).to.deep.equal([{ truncate: deletes ?? false }]);
        });

      it('202: from then on the state is unknown, as the server is being restored, and its backups are 502', async () => {
        await at('GET');
        const resources = () => service.call('GET', `/servers/${id}/resources`, { key: service.key });
        expect((await resources()).body.resources.state).to.equal('offline');
        await restore();
        const reason = 'The server is being restored from a backup.';
        expect((await resources()).body.resources).to.include({ state: 'unknown', reason });
        expect((await at('GET')).status).to.equal(502);
        service.clock.advance(60_000);
        const { server } = (await service.call('GET', `/servers/${id}`, { key: service.key })).body;
        expect(server.status).to.equal('restoring_backup');
      });

      for (const state of ['running', 'starting', 'stopping'])
        it(`400: for a server that is ${state}, whatever the panel has kept of it`, async () => {
          await service.call('GET', `/servers/${id}/resources`, { key: service.key });
          service.panel.runStates.set(id, state);
          expectError(await restore(), 'bad_request', `The server is ${state}; stop it first`);
          expect(sent()).to.deep.equal([]);
        });

      it('400: for a backup in progress, and for one that failed', async () => {
        service.panel.backups.set(id, [panelBackup({ uuid, ...pendingBackup })]);
        expectError(await restore(), 'bad_request', 'The backup is not completed yet');
        service.panel.backups.set(id, [panelBackup({ uuid, is_successful: false })]);
        expectError(await restore(), 'bad_request', 'The backup failed, so there is nothing to restore');
        expect(sent()).to.deep.equal([]);
      });

      for (const [status, event] of [
        ['restoring_backup', 'The server is being restored from a backup'],
        ['installing', 'The server has not finished its installation'],
      ] as const)
        it(`400: for a server that is busy: ${status}`, async () => {
          setServer({ status });
          expectError(await restore(), 'bad_request', panelRefusedMessage(event, 'restore'));
        });

      it('400: where the server became busy after it was looked at', async () => {
        await service.call('GET', '/servers', { key: service.key });
        const proper = { after: Promise.resolve() };
        service.panel.respondNext(proper, proper, refusal(400, 'BadRequestHttpException'));
        expectError(await restore(), 'bad_request', 'The panel did not accept the request');
      });

      it('404: for a backup that is missing', async () => {
        const missing = `/servers/${id}/backups/missing/restore`;
        expectError(
          await service.call('POST', missing, { key: service.key, body: {} }),
          'not_found',
          backupMissing,
        );
      });

      it('502: for a suspended server, and for one whose state nobody tells', async () => {
        setServer({ suspended: true });
        expectError(
          await restore(),
          'upstream_error',
          panelRefusedMessage('The server is suspended', 'restore'),
        );
        setServer({});
        service.panel.conditions.deadNodes.add(1);
        service.panel.nodeScript.intercept = (socket) => {
          socket.terminate();
          return true;
        };
        const message = 'The machine that hosts the server did not carry out the request; try again later';
        expectError(await restore(), 'upstream_error', message);
        expect(sent()).to.deep.equal([]);
        service.panel.nodeScript.intercept = () => false;
      });
    });
  });
