/** Reading one backup over REST, tRPC and MCP, with and without waiting for it. */
import { expect } from 'chai';
import { refusal } from '../../server/panel/demo/answers.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { panelBackup, panelServer } from '../support/panel/attributes.ts';
import {
  backupMissing,
  id,
  panelRefusedMessage,
  pendingBackup,
  useBackup,
  uuid,
} from '../support/use-backup.ts';

const done = { completed_at: '2026-05-01T12:01:00+00:00', is_successful: true };

describe('reading a backup', () => {
  const { service, at, callTool, clientCalls, setServer } = useBackup('pterodactyl');

  describe('GET /servers/{id}/backups/{uuid}', () => {
    it('returns the backup as the list does, with one panel call (200)', async () => {
      const { body } = await service.call('GET', `/servers/${id}/backups`, { key: service.key });
      expect((await at('GET')).body).to.deep.equal({ backup: body.backups[0] });
      expect(clientCalls()).to.deep.equal(['GET backups?per_page=50&page=1']);
    });

    it('returns a backup created since the list was read (200)', async () => {
      await at('GET');
      service.panel.backups.get(id)?.push(panelBackup({ uuid: 'new' }));
      expect((await service.call('GET', `/servers/${id}/backups/new`, { key: service.key })).status).to.equal(
        200,
      );
    });

    it('answers 404 for a backup of another server or a missing one', async () => {
      service.panel.servers.set(7, [
        panelServer({ identifier: id }),
        panelServer({ identifier: 'second', uuid: 'second' }),
      ]);
      for (const path of [`second/backups/${uuid}`, `${id}/backups/missing`]) {
        const answer = await service.call('GET', `/servers/${path}`, { key: service.key });
        expectError(answer, 'not_found', backupMissing);
      }
    });

    it('reports a running restore (502)', async () => {
      setServer({ status: 'restoring_backup' });
      expectError(
        await at('GET'),
        'upstream_error',
        panelRefusedMessage('The server is being restored from a backup', 'request'),
      );
    });

    it('with wait returns a completed or failed backup at once (200)', async () => {
      const startedAt = performance.now();
      await at('GET', '?wait=25');
      service.panel.backups.set(id, [panelBackup({ uuid, is_successful: false })]);
      service.clock.advance(20_000);
      expect((await at('GET', '?wait=25')).body.backup).to.include({ is_successful: false });
      expect(performance.now() - startedAt).to.be.below(20_000);
    });

    it('with wait responds as soon as the backup is completed, over MCP too (200)', async () => {
      service.panel.backups.set(id, [panelBackup({ uuid, ...pendingBackup })]);
      const args = { server_identifier: id, backup_uuid: uuid, wait: '25' };
      const waiting = [at('GET', '?wait=25'), callTool('get_server_backup', args)];
      await eventually(async () => expect(clientCalls()).to.have.length.above(2));
      service.panel.backups.set(id, [panelBackup({ uuid, ...done })]);
      const [rest, tool] = await Promise.all(waiting);
      expect(rest?.body.backup).to.include({ completed_at: '2026-05-01T12:01:00.000Z' });
      expect(tool?.body.result.structuredContent).to.deep.equal(rest?.body);
    });

    it('with wait returns the backup in progress when the seconds are over (200)', async () => {
      service.panel.backups.set(id, [panelBackup({ uuid, ...pendingBackup })]);
      const { status, body } = await at('GET', '?wait=1');
      expect([status, body.backup.completed_at]).to.deep.equal([200, null]);
    });

    it('with wait reports that the backup was deleted meanwhile (404)', async () => {
      service.panel.backups.set(id, [panelBackup({ uuid, ...pendingBackup })]);
      const waiting = at('GET', '?wait=25');
      await eventually(async () => expect(clientCalls()).to.have.length.above(1));
      service.panel.backups.set(id, []);
      expectError(await waiting, 'not_found', backupMissing);
    });

    for (const [what, behaviour] of [
      ['fails', { status: 500, body: '<html>' }],
      ['refuses, as the server is suspended,', refusal(409, 'ServerStateConflictException', 'suspended')],
      ['hangs', 'hang'],
      ['breaks the connection', 'reset'],
      ['answers something else', { status: 200, body: '{}' }],
    ] as const)
      it(`with wait returns the last known state when the panel ${what} midway (200)`, async () => {
        service.panel.backups.set(id, [panelBackup({ uuid, ...pendingBackup })]);
        const waiting = at('GET', '?wait=1');
        await eventually(async () => expect(clientCalls()).to.not.deep.equal([]));
        service.panel.respondWith(behaviour);
        const { status, body } = await waiting;
        expect([status, body.backup.uuid, body.backup.completed_at]).to.deep.equal([200, uuid, null]);
        service.panel.closeAll();
      });
  });
});
