/** Servers over REST, on a working panel and on one that fails in every known way. */
import { expect } from 'chai';
import { failureRows } from '../server/panel/failure-rows.ts';
import { expectError } from '../support/expect-error.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { useService } from '../support/service.ts';

describe('servers', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000, panel: { retryDelayMs: 1 } });
  let key: string;

  before(async () => {
    const user = await service.addUser({ panelUserId: 7 });
    ({ secret: key } = await service.addKey({ user }));
  });
  beforeEach(() => {
    service.panel.recover();
    service.panel.forget();
    service.panel.servers.clear();
    service.panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]);
    service.clock.advance(60_000); // Lists are cached for seconds, failures too.
  });

  const list = (own = key) => service.call('GET', '/servers', { key: own });
  const power = (identifier: string, signal: unknown = 'start') =>
    service.call('POST', `/servers/${identifier}/power`, { key, body: { signal } });

  describe('GET /servers', () => {
    it("lists the owner's servers with the contract's fields and no others (200)", async () => {
      const answer = await list();
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({
        servers: [
          {
            id: 5,
            uuid: '1a7ce997-259b-452e-8b4e-cecc464142ca',
            identifier: 'a1b2c3d4',
            name: 'Wuhu Island',
            description: 'Matt from Wii Sports',
            type: 'pterodactyl',
            is_suspended: false,
            limits: { memory: 512, swap: 0, disk: 200, io: 500, cpu: 0, threads: null, oom_disabled: true },
            feature_limits: { databases: 5, allocations: 5, backups: 2 },
            panel_url: `${service.panel.url}/server/a1b2c3d4`,
            created_at: '2020-06-13T04:20:53.000Z',
            updated_at: '2020-06-13T04:21:53.000Z',
          },
        ],
        summary: { total: 1 },
      });
    });

    it('shows empty or null for what the panel omits or does not know (200)', async () => {
      const sent = panelServer({
        suspended: true,
        limits: { memory: 0, swap: -1, disk: 0, io: 500, cpu: 0, threads: '0-1,3' },
        feature_limits: { databases: null, allocations: 1 },
      });
      const { description: _, updated_at: __, ...sparse } = sent; // Sent by Pelican.
      service.panel.servers.set(7, [sparse as typeof sent]);
      const [server] = (await list()).body.servers;
      expect(server).to.deep.include({ description: '', is_suspended: true, updated_at: null });
      expect(server.limits).to.deep.include({ swap: -1, threads: '0-1,3', oom_disabled: null });
      expect(server.feature_limits).to.deep.equal({ databases: null, allocations: 1, backups: null });
    });

    const none = { servers: [], summary: { total: 0 } };

    it('lists none for a user who has none in the panel (200)', async () => {
      service.panel.servers.set(7, []);
      expect((await list()).body).to.deep.equal(none);
    });

    it('lists none for a user without a panel user, without asking the panel (200)', async () => {
      const { secret } = await service.addKey();
      expect((await list(secret)).body).to.deep.equal(none);
      expect(service.panel.requests).to.deep.equal([]);
    });

    it('lists none for a user unknown to the panel (200)', async () => {
      service.panel.servers.delete(7);
      expect((await list()).body).to.deep.equal(none);
    });
  });

  describe('POST /servers/{server_identifier}/power', () => {
    for (const signal of ['start', 'stop', 'restart'])
      it(`answers 202 to ${signal}, which the panel has accepted`, async () => {
        const answer = await power('a1b2c3d4', signal);
        expect(answer.status).to.equal(202);
        expect(answer.body).to.deep.equal({ server: 'a1b2c3d4', signal, status: 'accepted' });
        expect(service.panel.signals).to.deep.equal([`a1b2c3d4 ${signal}`]);
      });

    it('rejects any other signal, naming kill, without a panel call (400 bad_request)', async () => {
      const rule = 'signal must be one of start, stop, restart';
      for (const signal of ['KILL', 'Start', ' start', '', 'reboot', null, 1, ['start'], { $ne: 'kill' }])
        expectError(await power('a1b2c3d4', signal), 'bad_request', rule);
      expectError(await power('a1b2c3d4', 'kill'), 'bad_request', `${rule}; kill is not permitted`);
      expect(service.panel.requests).to.deep.equal([]);
    });

    it('reports a server just deleted in the panel (404 not_found)', async () => {
      await list();
      service.panel.servers.set(7, []);
      expectError(
        await power('a1b2c3d4'),
        'not_found',
        'Server not found; take its identifier from the list of servers',
      );
      expect(service.panel.signals).to.deep.equal([]);
    });

    it('accepts the full uuid and answers with the identifier (202)', async () => {
      const answer = await power('1a7ce997-259b-452e-8b4e-cecc464142ca');
      expect(answer.body).to.deep.equal({ server: 'a1b2c3d4', signal: 'start', status: 'accepted' });
      expect(service.panel.signals).to.deep.equal(['a1b2c3d4 start']);
    });

    it('refuses another spelling and says where to find the identifier (404 not_found)', async () => {
      for (const name of ['1a7ce997-259b', 'A1B2C3D4', 'a1b2c3d4%20'])
        expectError(
          await power(name),
          'not_found',
          'Server not found; take its identifier from the list of servers',
        );
    });
  });

  describe('on a failing panel', () => {
    function expectNoLeak(text: string): void {
      const { url, applicationKey, clientKey } = service.panel;
      const words = [new URL(url).host, applicationKey, clientKey];
      for (const word of [...words, 'SQLSTATE', 'panel-internal', 'Exception'])
        expect(text).not.to.include(word);
    }

    for (const { name, behaviour, message, powerMessage } of failureRows) {
      it(`answer 502 upstream_error to the list: ${name}`, async () => {
        service.panel.respondWith(behaviour);
        const answer = await list();
        expectError(answer, 'upstream_error', message);
        expectNoLeak(answer.text);
      });

      it(`answer 502 upstream_error to a signal, which is sent once: ${name}`, async () => {
        await list();
        service.panel.forget();
        service.panel.respondWith(behaviour);
        const answer = await power('a1b2c3d4', 'restart');
        expectError(answer, 'upstream_error', powerMessage);
        expectNoLeak(answer.text);
        expect(service.panel.requests.map(({ method }) => method)).to.deep.equal(['POST']);
      });
    }

    it("answer 502 with the panel's Retry-After and make no panel calls until then", async () => {
      service.panel.failWith(429, 'ThrottleRequestsException', { headers: { 'Retry-After': '30' } });
      expect((await list()).headers.get('Retry-After')).to.equal('30');
      service.panel.recover();
      service.clock.advance(10_000);
      const answer = await list();
      expectError(answer, 'upstream_error', 'The panel is busy; try again later');
      expect(Number(answer.headers.get('Retry-After'))).to.be.within(19, 20);
      expect(service.panel.requests).to.have.lengthOf(1);
      service.clock.advance(20_000);
      expect((await list()).status).to.equal(200);
    });

    it('log the cause under the request id', async () => {
      service.panel.failWith(500, 'QueryException', { detail: 'SQLSTATE' });
      const { headers } = await list();
      const entries = service.logLines.map((line) => JSON.parse(line));
      const failed = entries.filter(({ requestId }) => requestId === headers.get('X-Request-Id'));
      expect(JSON.stringify(failed)).to.include('QueryException');
    });
  });
});
