/** Deleting and restoring backups, whatever the panel answers. */
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
  describe(`changing a backup on ${dialect}`, () => {
    const { service, at, callTool, clientCalls, setServer } = useBackup(dialect);

    describe('DELETE /servers/{id}/backups/{uuid}', () => {
      it('deletes it with one panel call and removes it from the list at once (200)', async () => {
        const list = () => service.call('GET', `/servers/${id}/backups`, { key: service.key });
        expect((await list()).body.backups).to.have.lengthOf(1);
        service.panel.forget();
        const { status, body } = await at('DELETE');
        expect([status, body]).to.deep.equal([200, { deleted: true }]);
        expect(clientCalls()).to.deep.equal([`DELETE backups/${uuid}`]);
        expect((await list()).body.backups).to.deep.equal([]);
        expectError(await at('DELETE'), 'not_found', backupMissing);
      });

      it('refuses to delete a locked backup, which stays (400)', async () => {
        service.panel.backups.set(id, [panelBackup({ uuid, is_locked: true })]);
        const message = panelRefusedMessage('The backup is locked', 'deletion');
        expect((await at('DELETE')).body.error.code).to.equal('bad_request');
        const tool = await callTool('delete_server_backup', { server_identifier: id, backup_uuid: uuid });
        expect(toolErrorOf(tool).error).to.deep.equal({ code: 'bad_request', message });
        expect(service.panel.backups.get(id)).to.have.lengthOf(1);
      });

      it('refuses a backup of another server (404)', async () => {
        service.panel.servers.set(7, [
          panelServer({ identifier: id }),
          panelServer({ identifier: 'second', uuid: 'second' }),
        ]);
        service.clock.advance(60_000);
        const other = await service.call('DELETE', `/servers/second/backups/${uuid}`, { key: service.key });
        expectError(other, 'not_found', backupMissing);
        expect(service.panel.backups.get(id)).to.have.lengthOf(1);
      });

      it('fails with 502 for a suspended server and for an unreachable node', async () => {
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

      it('leaves the outcome open when the connection breaks, and does not resend (502)', async () => {
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
        it(`asks the panel once, with delete_files ${deletes} (202)`, async () => {
          const { status, body } = await restore(deletes === undefined ? {} : { delete_files: deletes });
          expect(status).to.equal(202);
          expect(body).to.deep.equal({ server: id, backup: uuid, status: 'accepted' });
          expect(sent().map((call) => JSON.parse(call.body))).to.deep.equal([{ truncate: deletes ?? false }]);
        });

      it('makes the state unknown while the server is restored, and its backups answer 502 (202)', async () => {
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
        it(`refuses a server that is ${state}, whatever the panel has cached (400)`, async () => {
          await service.call('GET', `/servers/${id}/resources`, { key: service.key });
          service.panel.runStates.set(id, state);
          expectError(await restore(), 'bad_request', `The server is ${state}; stop it first`);
          expect(sent()).to.deep.equal([]);
        });

      it('refuses a backup that is in progress or failed (400)', async () => {
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
        it(`refuses a server that is busy: ${status} (400)`, async () => {
          setServer({ status });
          expectError(await restore(), 'bad_request', panelRefusedMessage(event, 'restore'));
        });

      it('refuses a server that became busy after the check (400)', async () => {
        await service.call('GET', '/servers', { key: service.key });
        const proper = { after: Promise.resolve() };
        service.panel.respondNext(proper, proper, refusal(400, 'BadRequestHttpException'));
        expectError(await restore(), 'bad_request', 'The panel did not accept the request');
      });

      it('refuses a missing backup (404)', async () => {
        const missing = `/servers/${id}/backups/missing/restore`;
        expectError(
          await service.call('POST', missing, { key: service.key, body: {} }),
          'not_found',
          backupMissing,
        );
      });

      it('fails for a suspended server and for one whose state cannot be read (502)', async () => {
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
