/** The states of all of an owner's servers in one call, over REST, tRPC and MCP, however the panel and its nodes behave. */
import { expect } from 'chai';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { createSendMessage, toolCall } from '../support/mcp.ts';
import { resetPanel, startWithOwner } from '../support/server-owner.ts';
import type { TestService } from '../support/service.ts';

const idOf = (index: number) => `server${String(index).padStart(3, '0')}`;
const serversOf = (count: number, overrides: (index: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, index) =>
    panelServer({ id: index, identifier: idOf(index), name: `Server ${index}`, ...overrides(index) }),
  );

interface State {
  server: string;
  state: string;
  reason: string | null;
}

describe('GET /servers/states', () => {
  let service: TestService;
  let key: string;
  let otherUser: string;

  before(async () => {
    ({ service, key, otherUser } = await startWithOwner({
      rateLimitPerMinute: 10_000,
      panel: { statesWaitMs: 2_000, failureThreshold: 1_000 },
    }));
  });
  after(() => service.stop());
  beforeEach(() => resetPanel(service, serversOf(3)));

  /** Calls that hang end now, so that they hold nothing in the next test. */
  afterEach(() => service.panel.closeAll());

  const states = (query = '', own = key) => service.call('GET', `/servers/states${query}`, { key: own });
  const upstream = () => service.panel.requests.filter(({ path }) => path.endsWith('/resources'));
  const shown = ({ body }: { body: { states: State[] } }) =>
    body.states.map(({ server, state }) => [server, state]);

  it('200: shows each server with its state, in the order of the list, and counts all and those that run', async () => {
    service.panel.runStates.set(idOf(1), 'offline');
    const { status, body } = await states();
    expect(status).to.equal(200);
    const measured_at = body.states[0].measured_at;
    expect(body).to.deep.equal({
      states: [
        { server: idOf(0), name: 'Server 0', state: 'running', reason: null, measured_at },
        {
          server: idOf(1),
          name: 'Server 1',
          state: 'offline',
          reason: null,
          measured_at: body.states[1].measured_at,
        },
        {
          server: idOf(2),
          name: 'Server 2',
          state: 'running',
          reason: null,
          measured_at: body.states[2].measured_at,
        },
      ],
      summary: { total: 3, running: 2 },
    });
  });

  it('200: is empty for a user without servers', async () => {
    const { body } = await states('', otherUser);
    expect(body).to.deep.equal({ states: [], summary: { total: 0, running: 0 } });
  });

  it('200: shows the same over tRPC and MCP, and asks the panel once for each server', async () => {
    const [rest, trpc, mcp] = [
      await states(),
      await service.callAt('GET', '/trpc/servers.states?input=%7B%7D', { key }),
      await createSendMessage(service.url)(toolCall('list_server_states', {}), { key }),
    ];
    expect(trpc.body.result.data).to.deep.equal(rest.body);
    expect(mcp.body.result.structuredContent).to.deep.equal(rest.body);
    expect(upstream()).to.have.lengthOf(3);
  });

  it('200: shares the cache of the live state of one server', async () => {
    await service.call('GET', `/servers/${idOf(1)}/resources`, { key });
    await states();
    await service.call('GET', `/servers/${idOf(2)}/resources`, { key });
    expect(upstream()).to.have.lengthOf(3);
    service.clock.advance(20_000);
    await states();
    expect(upstream()).to.have.lengthOf(6);
  });

  it('200: pages with limit and after; total counts all, running those shown', async () => {
    service.panel.servers.set(7, serversOf(110));
    const first = (await states()).body;
    expect(first.states).to.have.lengthOf(100);
    expect(first.summary.total).to.equal(110);
    const last = (await states(`?after=${idOf(107)}&limit=5`)).body;
    expect(shown({ body: last }).map(([server]) => server)).to.deep.equal([idOf(108), idOf(109)]);
    expect(last.summary).to.deep.equal({ total: 110, running: 2 });
    expect((await states(`?after=${idOf(109)}`)).body.states).to.deep.equal([]);
  });

  it('400: answers a foreign server in after like a missing one', async () => {
    service.panel.servers.set(8, [panelServer({ identifier: 'theirs' })]);
    const message = 'after must be the identifier of one of your servers';
    for (const after of ['theirs', 'missing'])
      expectError(await states(`?after=${after}`), 'bad_request', message);
    expectError(await states('?limit=101'), 'bad_request', 'limit must be at most 100');
  });

  it('200: says unknown, with the reason, of a suspended server, and does not ask the panel for it', async () => {
    service.panel.servers.set(
      7,
      serversOf(2, (index) => ({ suspended: index === 1 })),
    );
    const { body } = await states();
    expect(body.states[1]).to.include({ state: 'unknown', reason: 'The server is suspended.' });
    expect(body.summary).to.deep.equal({ total: 2, running: 1 });
    expect(upstream()).to.have.lengthOf(1);
  });

  it('200: says unknown, with a reason, of what is not known in time, and shows the others', async () => {
    service.panel.servers.set(
      7,
      serversOf(8, (index) => ({ node: index < 4 ? 1 : 2 })),
    );
    await service.call('GET', '/servers', { key });
    service.panel.respondNext('hang');
    const { status, body } = await states();
    expect(status).to.equal(200);
    const unknown = body.states.filter(({ state }: State) => state === 'unknown');
    expect(unknown).to.have.lengthOf(1);
    expect(unknown[0].reason).to.equal('The state could not be read in time.');
  });

  it('200: is unknown for all, with a reason, when the panel refuses our client key', async () => {
    await service.call('GET', '/servers', { key });
    service.panel.respondNext(...Array(3).fill({ status: 401, body: '' }));
    const { status, body } = await states();
    expect(status).to.equal(200);
    for (const { state, reason } of body.states)
      expect([state, reason]).to.deep.equal([
        'unknown',
        'The panel refused the credentials of this service; its operator has been alerted.',
      ]);
  });

  it('200: is unknown for all, with a reason, when the panel fails', async () => {
    await service.call('GET', '/servers', { key });
    service.panel.respondWith({ status: 500, body: '<html>' });
    const { status, body } = await states();
    expect(status).to.equal(200);
    expect(new Set(body.states.map(({ state }: State) => state))).to.deep.equal(new Set(['unknown']));
    expect(body.states[0].reason).to.equal('The panel failed.');
  });

  it('502: answers so when the list of servers is not to be had', async () => {
    service.panel.failWith(401, 'AuthenticationException');
    expect((await states()).body.error.code).to.equal('upstream_error');
  });

  it('asks for at most ten states at once, for all callers together', async () => {
    const callers = await Promise.all(
      [21, 22, 23, 24, 25].map(async (panelUserId, user) => {
        service.panel.servers.set(
          panelUserId,
          Array.from({ length: 20 }, (_, index) =>
            panelServer({ identifier: `u${user}-${index}`, uuid: `u${user}-${index}`, node: index }),
          ),
        );
        const { secret } = await service.addKey({ user: await service.addUser({ panelUserId }) });
        await service.call('GET', '/servers', { key: secret });
        return secret;
      }),
    );
    service.panel.forget();
    service.panel.respondWith('hang');
    const answers = await Promise.all(callers.map((secret) => states('', secret)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(upstream()).to.have.lengthOf(10);
  });

  it('lets a dead node take few of the ten, so that other customers get their states', async () => {
    service.panel.servers.set(
      7,
      serversOf(20, () => ({ node: 66 })),
    );
    service.panel.servers.set(8, [panelServer({ identifier: 'theirs', uuid: 'theirs', node: 67 })]);
    for (const own of [key, otherUser]) await service.call('GET', '/servers', { key: own });
    service.panel.respondWith('hang');
    const dead = states();
    await eventually(async () => expect(upstream()).to.have.lengthOf(5));
    service.panel.recover();
    const { body } = await states('', otherUser);
    expect(shown({ body })).to.deep.equal([['theirs', 'running']]);
    await dead;
  });
});
