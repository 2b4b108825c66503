/** However many callers poll one server, each read reaches the panel at most once in 20 seconds. */
import { expect } from 'chai';
import { createSendMessage, toolCall } from '../support/mcp.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { useService } from '../support/service.ts';

const id = 'a1b2c3d4';
const callerCount = 5;

/** A read over each protocol, and the panel call that it may make. */
const reads = [
  { path: '', procedure: 'servers.get', tool: 'get_server', upstream: /^\/api\/application\/users\/7\?/ },
  {
    ...{ path: '/resources', procedure: 'servers.resources', tool: 'get_server_resources' },
    upstream: /\/resources$/,
  },
  {
    ...{ path: '/backups', procedure: 'servers.backups.list', tool: 'list_server_backups' },
    upstream: /\/backups\?/,
  },
];

describe('polling a server', () => {
  const service = useService();
  const keys: string[] = [];

  before(async () => {
    const user = await service.addUser({ panelUserId: 7 });
    for (let caller = 0; caller < callerCount; caller += 1)
      keys.push((await service.addKey({ user })).secret);
    service.panel.servers.set(7, [panelServer({ identifier: id })]);
  });
  beforeEach(() => {
    service.panel.forget();
    service.clock.advance(600_000); // Past every cache.
  });

  for (const { path, procedure, tool, upstream } of reads) {
    const input = { server_identifier: id };
    const query = encodeURIComponent(JSON.stringify(input));
    const askOverEach = (key: string) => [
      service.call('GET', `/servers/${id}${path}`, { key }),
      service.callAt('GET', `/trpc/${procedure}?input=${query}`, { key }),
      createSendMessage(service.url)(toolCall(tool, input), { key }),
    ];
    const askAll = async () => {
      const answers = await Promise.all(keys.flatMap(askOverEach));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    };
    const upstreamCalls = () => service.panel.requests.filter(({ path: asked }) => upstream.test(asked));

    it(`with GET /servers/{id}${path}, ${procedure} and ${tool} calls the panel once in 20 seconds`, async () => {
      await askAll();
      service.clock.advance(5_000); // The test itself takes real time.
      await askAll();
      expect(upstreamCalls()).to.have.lengthOf(1);
      service.clock.advance(20_000);
      await askAll();
      expect(upstreamCalls()).to.have.lengthOf(2);
    });
  }

  it('with a backup in progress reads its backups again after three seconds', async () => {
    const [key = ''] = keys;
    const list = async () => (await service.call('GET', `/servers/${id}/backups`, { key })).body.backups;
    await service.call('POST', `/servers/${id}/backups`, { key, body: { name: 'Nightly' } });
    expect((await list())[0].completed_at).to.equal(null);
    const [stored] = service.panel.backups.get(id) ?? [];
    Object.assign(stored ?? {}, { completed_at: '2026-05-01T12:01:00+00:00', is_successful: true });
    service.clock.advance(3_000);
    expect((await list())[0].completed_at).to.equal('2026-05-01T12:01:00.000Z');
  });
});
