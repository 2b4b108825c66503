/** One server over REST: its detail, live state and backups, on a panel that works and on one that refuses. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { panelBackup, panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { linkSignature, signedUntil, signedUrl } from '../support/signed-links.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';

describe('one server', () => {
  const service = useOwner({
    rateLimitPerMinute: 1_000_000,
    panel: { retryDelayMs: 1 },
  });
  beforeEach(() => resetPanel(service, [panelServer({ identifier: id })]));

  const get = (rest = '', own = service.key) => service.call('GET', `/servers/${id}${rest}`, { key: own });
  const post = (rest: string, body: unknown, own = service.key) =>
    service.call('POST', `/servers/${id}${rest}`, { key: own, body });
  const clientCalls = () => service.panel.requests.filter(({ path }) => path.startsWith('/api/client'));

  it("has the list's fields, status and allocations (GET /servers/{id}, 200)", async () => {
    service.panel.servers.set(7, [panelServer({ identifier: id, status: 'installing' })]);
    const [listed] = (await service.call('GET', '/servers', { key: service.key })).body.servers;
    expect((await get()).body).to.deep.equal({
      server: {
        ...listed,
        status: 'installing',
        allocations: [
          { ip: '203.0.113.7', alias: null, port: 25_566, is_default: false },
          { ip: '203.0.113.7', alias: 'play.host.example', port: 25_565, is_default: true },
        ],
      },
    });
  });

  it("has no alias when the panel's is empty (GET /servers/{id})", async () => {
    const attributes = { id: 11, ip: '2001:db8::7', alias: ' ', port: 25_565, notes: null, assigned: true };
    const allocations = { object: 'list', data: [{ object: 'allocation', attributes }] };
    service.panel.servers.set(7, [panelServer({ identifier: id, relationships: { allocations } })]);
    expect((await get()).body.server.allocations).to.deep.equal([
      { ip: '2001:db8::7', alias: null, port: 25_565, is_default: true },
    ]);
  });

  it("shows the panel's names of servers and backups without invisible characters", async () => {
    const texts = {
      name: 'Wu\u{e0041}hu\u200b\u001b\u2028Island',
      description: 'Line one\u2029Line\u2060 two',
    };
    service.panel.servers.set(7, [panelServer({ identifier: id, ...texts })]);
    service.panel.backups.set(id, [panelBackup({ name: 'Before\ufe00\u{e01ef}\nlunch' })]);
    const shown = { name: 'Wuhu Island', description: 'Line one\nLine two' };
    expect((await get()).body.server).to.include(shown);
    expect((await service.call('GET', '/servers', { key: service.key })).body.servers[0]).to.include(shown);
    expect((await get('/backups')).body.backups[0].name).to.equal('Before lunch');
  });

  it("has no allocations when the service's key may not read them (GET /servers/{id})", async () => {
    const allocations = { object: 'null_resource', attributes: null };
    const server = { ...panelServer({ identifier: id }), relationships: { allocations } };
    service.panel.servers.set(7, [server as unknown as ReturnType<typeof panelServer>]);
    expect((await get()).body.server.allocations).to.deep.equal([]);
    expect(service.logLines.splice(0).join()).to.include('refused allocations');
  });

  it('shows state and figures (GET /servers/{id}/resources, 200)', async () => {
    const { body } = await get('/resources');
    expect(body.resources.measured_at).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(body.resources).to.deep.include({
      ...{ state: 'running', reason: null, memory_bytes: 588_701_696, cpu_percent: 12.34 },
      ...{ disk_bytes: 130_156_361, network_rx_bytes: 694_220, network_tx_bytes: 337_090 },
      uptime_ms: 86_400_000,
    });
  });

  it('lists all backups, newest first, and how many may be created (GET /servers/{id}/backups, 200)', async () => {
    const days = Array.from({ length: 60 }, (_, day) => new Date(Date.UTC(2026, 0, day + 1)).toISOString());
    service.panel.backups.set(
      id,
      days.map((created_at) => panelBackup({ uuid: created_at, created_at })),
    );
    const { body } = await get('/backups');
    expect(body.summary).to.deep.equal({ total: 60, limit: 2 });
    expect(body.backups.map(({ uuid }: { uuid: string }) => uuid)).to.deep.equal(days.toReversed());
    expect(Object.keys(body.backups[0])).to.deep.equal(
      'uuid name bytes checksum is_successful is_locked created_at completed_at'.split(' '),
    );
    await get('/backups');
    expect(clientCalls()).to.have.lengthOf(2);
  });

  it('lists a new backup at once (POST /servers/{id}/backups, 201)', async () => {
    await get('/backups');
    const { status, body } = await post('/backups', { name: 'Before the update' });
    expect([status, body.backup.name, body.backup.completed_at]).to.deep.equal([
      201,
      'Before the update',
      null,
    ]);
    expect((await get('/backups')).body.backups).to.deep.equal([body.backup]);
    expect((await post('/backups', {})).status).to.equal(201);
  });

  it('refuses a backup when the limit is reached (POST /servers/{id}/backups, 400)', async () => {
    await get('');
    service.panel.failWith(400, 'TooManyBackupsException');
    const message = 'The server already has all the backups it is allowed, so the panel refused the backup';
    expectError(await post('/backups', {}), 'bad_request', message);
  });

  it("passes on the panel's Retry-After for backups while other calls continue (POST /servers/{id}/backups, 429)", async () => {
    await get('');
    const headers = { 'Retry-After': '580' };
    service.panel.failWith(429, 'TooManyRequestsHttpException', { headers });
    const answer = await post('/backups', {});
    const message = 'The panel limits how often this may be done; try again later';
    expectError(answer, 'rate_limited', message);
    expect(answer.headers.get('Retry-After')).to.equal('580');
    service.panel.recover();
    expect((await post('/power', { signal: 'start' })).status).to.equal(202);
  });

  it("leaves a backup's outcome open when the connection is lost (POST /servers/{id}/backups, 502)", async () => {
    await get('');
    service.panel.respondWith('reset');
    const message = 'The connection to the panel was lost; the backup may or may not have been created';
    expectError(await post('/backups', {}), 'upstream_error', message);
    expect(clientCalls()).to.have.lengthOf(1);
  });

  describe('GET /servers/{id}/backups/{uuid}/download', () => {
    const { uuid } = panelBackup();
    const download = (of = uuid, own = service.key) =>
      get(`/backups/${encodeURIComponent(of)}/download`, own);

    it('returns the link and its expiry, and logs neither (200)', async () => {
      service.panel.backups.set(id, [panelBackup()]);
      expect((await download()).body).to.deep.equal({ url: signedUrl, expires_at: signedUntil });
      expect(service.logLines.join()).not.to.include(linkSignature);
    });

    it('returns the expiry of an S3 link (200)', async () => {
      service.panel.backups.set(id, [panelBackup()]);
      await get('/backups');
      const url = 'https://s3.example/b?X-Amz-Date=20260501T120000Z&X-Amz-Expires=300&X-Amz-Signature=s';
      service.panel.respondNext({ body: { object: 'signed_url', attributes: { url } } });
      expect((await download()).body).to.deep.equal({ url, expires_at: '2026-05-01T12:05:00.000Z' });
    });

    it('finds no backup that is missing, incomplete or of another server (404)', async () => {
      service.panel.servers.get(7)?.push(panelServer({ identifier: 'second', id: 6 }));
      service.panel.backups.set('second', [panelBackup({ uuid: 'of-the-second' })]);
      service.panel.backups.set(id, [panelBackup({ uuid: 'pending', completed_at: null })]);
      for (const wrong of ['missing', 'pending', 'of-the-second', '../../..'])
        expectError(await download(wrong), 'not_found', 'Completed backup not found');
      expect(clientCalls().map(({ path }) => path)).to.deep.equal([
        `/api/client/servers/${id}/backups?per_page=50&page=1`,
      ]);
    });
  });
});
