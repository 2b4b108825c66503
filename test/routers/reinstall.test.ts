/** Reinstallations: what is accepted, what is refused before the panel is asked, and what then holds for the server. */
import { expect } from 'chai';
import { refusal } from '../../server/panel/demo/answers.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { createSendMessage, toolCall, toolErrorOf } from '../support/mcp.ts';
import { panelBackup, panelServer } from '../support/panel/attributes.ts';
import { resetPanel, startBeside } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const path = `/servers/${id}/reinstall`;
const uuid = '904df120-a66f-4b9d-8f30-2c1b7f8c0d3f';
const hourMs = 3_600_000;

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`a reinstallation on ${dialect}`, () => {
    const service = useOwner({ rateLimitPerMinute: 1_000_000, dialect, panel: { retryDelayMs: 1 } });

    const agedHours = (hours: number) => new Date(service.clock.now() - hours * hourMs).toISOString();
    const has = (...backups: object[]) =>
      service.panel.backups.set(
        id,
        backups.map((overrides) => panelBackup({ uuid, created_at: agedHours(1), ...overrides })),
      );
    const setStatus = (status: string | null) => {
      service.panel.servers.set(7, [panelServer({ identifier: id, status })]);
      service.clock.advance(60_000);
    };
    const send = (body: object = { backup: null }, headers = {}) =>
      service.call('POST', path, { key: service.key, body, headers });
    const get = (rest = '') => service.call('GET', `/servers/${id}${rest}`, { key: service.key });
    const sent = () => service.panel.requests.filter(({ method }) => method === 'POST');

    beforeEach(async () => {
      await service.connection.collection('file_leases').deleteMany();
      resetPanel(service, [panelServer({ identifier: id })]);
      has({});
    });

    it('is accepted with a backup from the last 24 hours, and without one if the caller says so (202)', async () => {
      for (const backup of [uuid, null]) {
        setStatus(null);
        has({ created_at: agedHours(23) });
        const { status, body } = await send({ backup });
        expect([status, body]).to.deep.equal([202, { server: id, status: 'accepted' }]);
      }
      expect(sent().map(({ path: asked }) => asked.split(id)[1])).to.deep.equal(
        Array(2).fill('/settings/reinstall'),
      );
    });

    it('shows in the server, its state and its files until it has ended', async () => {
      await get();
      await get('/resources');
      await send();
      expect((await get()).body.server.status).to.equal('installing');
      const { body: states } = await get('/resources');
      expect([states.resources.state, states.resources.reason]).to.deep.equal([
        'unknown',
        'The server has not finished its installation.',
      ]);
      expectError(
        await get('/files'),
        'upstream_error',
        'The server has not finished its installation, so the panel refused the request; a retry does not help until that has changed',
      );
      setStatus(null);
      expect((await get('/files')).status).to.equal(200);
    });

    for (const [what, backups, message] of [
      ['is unknown', [{ uuid: 'other' }], 'backup is not a backup of this server'],
      ['is not completed', [{ completed_at: null, is_successful: false }], 'backup is not completed yet'],
      ['has failed', [{ is_successful: false }], 'backup has failed'],
      [
        'is older than 24 hours',
        [{ created_at: '2020-01-01T00:00:00+00:00' }],
        'backup must be at most 24 hours old: create one first',
      ],
    ] as const)
      it(`is refused when its backup ${what} (400)`, async () => {
        has(...backups);
        expectError(await send({ backup: uuid }), 'bad_request', message);
        expect(sent()).to.deep.equal([]);
      });

    it('is refused without a word about a backup (400)', async () => {
      expectError(await send({}), 'bad_request', 'backup is required');
      expectError(
        await send({ backup: 'none' }),
        'bad_request',
        'backup must be a uuid of a backup, or null (over MCP: none)',
      );
    });

    it('takes the word none from agents, and no missing backup', async () => {
      const call = (args: object) =>
        createSendMessage(service.url)(toolCall('reinstall_server', { server_identifier: id, ...args }), {
          key: service.key,
        });
      expect(toolErrorOf(await call({})).error.code).to.equal('bad_request');
      expect((await call({ backup: 'none' })).body.result.isError).to.equal(undefined);
    });

    it('waits until a backup of the server is completed (409)', async () => {
      has({}, { uuid: 'running', completed_at: null, is_successful: false });
      for (const backup of [uuid, null])
        expectError(
          await send({ backup }),
          'conflict',
          'A backup of the server is in progress: wait until it is completed',
        );
    });

    it('is refused while another process fetches a file, or sends a restore or a reinstallation (409)', async () => {
      const other = await startBeside(service);
      const server = panelServer({ identifier: id }).uuid;
      const mark = await other.models.fileLeases.markFetch(server);
      expectError(await send(), 'conflict', 'A file is being fetched to the server: wait until it has ended');
      await mark.release();
      const lease = await other.models.fileLeases.take(server, null);
      expectError(
        await send(),
        'conflict',
        'A restore or another reinstallation of the server is in progress',
      );
      await lease?.release();
      await other.leave();
      expect((await send()).status).to.equal(202);
    });

    it('is made once for two that arrive at once', async () => {
      const statuses = (await Promise.all([send(), send()])).map(({ status }) => status);
      expect(statuses.toSorted()).to.deep.equal([202, 409]);
      expect(sent()).to.have.lengthOf(1);
    });

    it('is never repeated when its outcome is unknown (502)', async () => {
      const headers = { 'Idempotency-Key': 'reinstall' };
      service.panel.respondAbout('settings/reinstall', { insteadOfDone: refusal(500, 'HttpException') });
      const first = await send({ backup: null }, headers);
      expectError(
        first,
        'upstream_error',
        'The panel failed; the reinstallation may or may not have been started',
      );
      service.panel.recover();
      expect((await send({ backup: null }, headers)).text).to.equal(first.text);
      expect(sent()).to.have.lengthOf(1);
    });

    it('lets no other follow while its outcome is unknown (409)', async () => {
      service.panel.respondAbout('settings/reinstall', refusal(500, 'HttpException'));
      expect((await send()).status).to.equal(502);
      service.panel.recover();
      expectError(
        await send(),
        'conflict',
        'A restore or another reinstallation of the server is in progress',
      );
      expect(sent()).to.have.lengthOf(1);
    });

    it('is accepted for a retry whose first try had started it before its process died (202)', async () => {
      const headers = { 'Idempotency-Key': 'reinstall-2' };
      await send({ backup: null }, headers);
      await service.connection
        .collection('idempotency_records')
        .updateMany({}, { $set: { answer: null, leaseEndsAt: new Date(0) } });
      expect((await send({ backup: null }, headers)).status).to.equal(202);
      expect(sent()).to.have.lengthOf(1);
    });

    it('may be tried again after one that failed, where the panel allows it', async () => {
      setStatus('reinstall_failed');
      expect((await send()).status).to.equal(dialect === 'pterodactyl' ? 202 : 502);
      expect(sent()).to.have.lengthOf(1);
    });
  });

describe('a reinstallation whose checks take too long', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000, panel: { writeWaitMs: 700 } });
  const send = () => service.call('POST', path, { key: service.key, body: { backup: null } });

  it('is not sent after its caller has an answer (502)', async () => {
    resetPanel(service, [panelServer({ identifier: id })]);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.panel.respondAbout('backups', { after: released });
    expect((await send()).status).to.equal(502);
    release();
    await eventually(async () => expect((await send()).status).to.equal(202));
    expect(service.panel.requests.filter(({ method }) => method === 'POST')).to.have.lengthOf(1);
  });
});
