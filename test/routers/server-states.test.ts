/** The states of all of an owner's servers in one call, over REST, tRPC and MCP, whatever the panel and its nodes do. */
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { createSendMessage, toolCall } from '../support/mcp.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

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
  const service = useOwner({ rateLimitPerMinute: 10_000 });
  beforeEach(() => resetPanel(service, serversOf(3)));

  const states = (query = '', own = service.key) =>
    service.call('GET', `/servers/states${query}`, { key: own });
  const upstream = () => service.panel.requests.filter(({ path }) => path.endsWith('/resources'));
  const shown = ({ body }: { body: { states: State[] } }) =>
    body.states.map(({ server, state }) => [server, state]);

  it("shows each server's state in the order of the list, and counts all and running ones (200)", async () => {
    service.panel.runStates.set(idOf(1), 'offline');
    const { status, body } = await states();
    expect(status).to.equal(200);
    const rows = ['running', 'offline', 'running'].map((state, index) => ({
      ...{ server: idOf(index), name: `Server ${index}`, state, reason: null },
      measured_at: body.states[index].measured_at,
    }));
    expect(body).to.deep.equal({ states: rows, summary: { total: 3, running: 2 } });
  });

  it('returns an empty list to a user without servers (200)', async () => {
    const { body } = await states('', service.otherUser);
    expect(body).to.deep.equal({ states: [], summary: { total: 0, running: 0 } });
  });

  it('with figures also shows what each server uses in one call, and null where unknown (200)', async () => {
    service.panel.servers.set(
      7,
      serversOf(3, (index) => ({ suspended: index === 2 })),
    );
    service.panel.runStates.set(idOf(1), 'offline');
    const shownFigures = ({ body }: { body: { states: object[] } }) =>
      body.states.map((state) => Object.entries(state).filter(([name]) => /_(bytes|percent|ms)$/.test(name)));
    const names = ['memory_bytes', 'cpu_percent', 'disk_bytes', 'uptime_ms'];
    const used = (...figures: (number | null)[]) => names.map((name, index) => [name, figures[index]]);
    const rest = await states('?figures=true');
    expect(shownFigures(rest)).to.deep.equal([
      used(588_701_696, 12.34, 130_156_361, 86_400_000),
      used(0, 0, 130_156_361, 0),
      used(null, null, null, null),
    ]);
    const tool = toolCall('list_server_states', { figures: true });
    const { body } = await createSendMessage(service.url)(tool, { key: service.key });
    expect(shownFigures({ body: body.result.structuredContent })).to.deep.equal(shownFigures(rest));
    expect(upstream()).to.have.lengthOf(2);
    for (const query of ['', '?figures=false'])
      expect(shownFigures(await states(query))).to.deep.equal([[], [], []]);
    expectError(await states('?figures=1'), 'bad_request', 'figures must be true or false');
  });

  it('shares the cache with the live state of one server (200)', async () => {
    await service.call('GET', `/servers/${idOf(1)}/resources`, { key: service.key });
    await states();
    await service.call('GET', `/servers/${idOf(2)}/resources`, { key: service.key });
    expect(upstream()).to.have.lengthOf(3);
    service.clock.advance(20_000);
    await states();
    expect(upstream()).to.have.lengthOf(6);
  });

  it('pages with limit and after, while total counts all servers and running counts those shown (200)', async () => {
    service.panel.servers.set(7, serversOf(110));
    const first = (await states()).body;
    expect(first.states).to.have.lengthOf(100);
    expect(first.summary.total).to.equal(110);
    const last = (await states(`?after=${idOf(107)}&limit=5`)).body;
    expect(shown({ body: last }).map(([server]) => server)).to.deep.equal([idOf(108), idOf(109)]);
    expect(last.summary).to.deep.equal({ total: 110, running: 2 });
    expect((await states(`?after=${idOf(109)}`)).body.states).to.deep.equal([]);
  });

  it('refuses a foreign server in after like a missing one (400)', async () => {
    service.panel.servers.set(8, [panelServer({ identifier: 'theirs' })]);
    const message = 'after must be the identifier of one of your servers';
    for (const after of ['theirs', 'missing'])
      expectError(await states(`?after=${after}`), 'bad_request', message);
    expectError(await states('?limit=101'), 'bad_request', 'limit must be at most 100');
  });

  it('reports a suspended server as unknown with the reason, without a panel call for it (200)', async () => {
    service.panel.servers.set(
      7,
      serversOf(2, (index) => ({ suspended: index === 1 })),
    );
    const { body } = await states();
    expect(body.states[1]).to.include({ state: 'unknown', reason: 'The server is suspended.' });
    expect(body.summary).to.deep.equal({ total: 2, running: 1 });
    expect(upstream()).to.have.lengthOf(1);
  });

  for (const [what, failure, reason] of [
    ['refuses our client key', { status: 401, body: '' }, 'The panel is not available.'],
    ['fails', { status: 500, body: '<html>' }, 'The panel failed.'],
  ] as const)
    it(`reports every server as unknown with a reason when the panel ${what} (200)`, async () => {
      await service.call('GET', '/servers', { key: service.key });
      service.panel.respondWith(failure);
      const { status, body } = await states();
      expect(status).to.equal(200);
      const reported = body.states.map((each: State) => [each.state, each.reason]);
      expect(reported).to.deep.equal(Array(3).fill(['unknown', reason]));
    });

  it('fails when the list of servers is unavailable (502)', async () => {
    service.panel.failWith(401, 'AuthenticationException');
    expect((await states()).body.error.code).to.equal('upstream_error');
  });
});

describe('GET /servers/states with a silent panel', () => {
  const panel = { liveWaitMs: 200, failureThreshold: 1_000 };
  const service = useOwner({ rateLimitPerMinute: 10_000, panel });
  beforeEach(() => resetPanel(service, serversOf(3)));

  /** Ends calls that hang, so that they use no slots in the next test. */
  afterEach(() => service.panel.closeAll());

  const states = (key: string) => service.call('GET', '/servers/states', { key });
  const upstream = () => service.panel.requests.filter(({ path }) => path.endsWith('/resources'));
  const reasonsOf = ({ body }: { body: { states: State[] } }) => body.states.map(({ reason }) => reason);

  it('reports as unknown with a reason what is late, and shows the others (200)', async () => {
    await service.call('GET', '/servers', { key: service.key });
    service.panel.respondNext('hang');
    // Later results appear in the next call's answer.
    await eventually(async () => {
      const answer = await states(service.key);
      expect(answer.status).to.equal(200);
      const unknown = 'The state could not be read in time.';
      expect(reasonsOf(answer)).to.have.members([unknown, null, null]);
    });
  });

  it('reads at most four states at once for all callers together', async () => {
    const ask = async (panelUserId: number) => {
      const servers = Array.from({ length: 20 }, (_, node) => {
        const identifier = `u${panelUserId}-${node}`;
        return panelServer({ identifier, uuid: identifier, node });
      });
      service.panel.servers.set(panelUserId, servers);
      const { secret } = await service.addKey({ user: await service.addUser({ panelUserId }) });
      await service.call('GET', '/servers', { key: secret });
      return secret;
    };
    const callers = await Promise.all([21, 22, 23, 24, 25].map(ask));
    service.panel.forget();
    service.panel.respondWith('hang');
    const answers = await Promise.all(callers.map(states));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    await eventually(async () => expect(upstream()).to.have.lengthOf(4));
  });
});
