/** The watch over servers' states: one process at a time, evenly within its budget, and only where somebody subscribes. */
import { expect } from 'chai';
import type { Panel } from '../../routers/panel-port.ts';
import { ServerWatch } from '../../server/events/watch-servers.ts';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import { createPterodactylPanel } from '../../server/panel/pterodactyl.ts';
import { startTestService, type TestService } from '../support/service.ts';

const callsPerMinute = 120;
const serverCount = 300;
const idOf = (index: number) => `server${String(index).padStart(3, '0')}`;
const panelUser = { email: 'panel@example.com', uuid: 'f6a9', username: 'customer' };
const log = { error: (fields: object) => expect.fail(String(Object.values(fields)[0])), warn: () => {} };

describe('the watch over servers', () => {
  let service: TestService;
  let nowMs: number;
  const watches: ServerWatch[] = [];
  const clients: Panel[] = [];

  beforeEach(async () => {
    service = await startTestService();
    nowMs = Date.parse('2026-05-01T12:00:00Z');
    service.panel.servers.set(
      7,
      Array.from({ length: serverCount }, (_, index) =>
        panelServer({ identifier: idOf(index), uuid: idOf(index), name: `Server ${index}` }),
      ),
    );
  });
  afterEach(async () => {
    for (const watch of watches.splice(0)) await watch.stop();
    clients.splice(0);
    await service.stop();
  });

  function startWatch() {
    const { models, panel } = service;
    const clock = () => nowMs;
    const onWatch = service.metrics.recordWatch;
    const client = createPterodactylPanel({ ...panel, kind: 'pterodactyl', clock, log });
    clients.push(client);
    const watch = new ServerWatch({ models, panel: client, clock, callsPerMinute, log, onWatch });
    watches.push(watch);
    return watch;
  }

  async function subscribe(audience: 'customer' | 'host') {
    const owner = await service.addUser({ panelUserId: 7, isAdmin: audience === 'host' });
    const endpoint = {
      url: 'https://example.com',
      format: 'standard',
      description: null,
      keyId: '',
    } as const;
    await service.models.webhooks.add(
      { ...endpoint, userId: owner._id, audience, events: ['server.state_changed'] },
      new Date(),
    );
    return owner;
  }

  async function pass(seconds: number, ...watched: ServerWatch[]) {
    for (let step = 0; step < seconds * 2; step += 1) {
      nowMs += 500;
      for (const watch of watched) await watch.tick();
    }
  }

  const measured = () => service.panel.requests.filter(({ path }) => path.endsWith('/resources'));
  const events = () => service.connection.collection('webhook_events').find().toArray();
  const keepServers = (count: number) =>
    service.panel.servers.set(7, (service.panel.servers.get(7) ?? []).slice(0, count));

  it('measures nothing, and lists nothing, where nobody subscribes', async () => {
    await service.addUser({ panelUserId: 7 });
    await pass(60, startWatch());
    expect(service.panel.requests).to.deep.equal([]);
  });

  it('measures 300 servers evenly, each every two and a half minutes, within the budget of every minute', async () => {
    await subscribe('customer');
    const watch = startWatch();
    await pass(30, watch);
    for (let minute = 0; minute < 5; minute += 1) {
      service.panel.forget();
      await pass(30, watch);
      expect(measured().length, 'in half a minute').to.be.within(58, 61);
      await pass(30, watch);
      expect(measured().length, 'in a minute').to.be.within(118, 120);
    }
    service.panel.forget();
    await pass(151, watch);
    expect(new Set(measured().map(({ path }) => path)).size).to.equal(serverCount);
  });

  for (const audience of ['customer', 'host'] as const)
    it(`tells the ${audience} once of a change that two measurements agree on`, async () => {
      keepServers(3);
      const owner = await subscribe(audience);
      const watch = startWatch();
      await pass(30, watch);
      service.panel.runStates.set(idOf(1), 'offline');
      await pass(100, watch);
      expect((await events()).map(({ type, userId, data }) => ({ type, userId, data }))).to.deep.equal([
        {
          type: 'server.state_changed',
          userId: owner._id,
          data: {
            server: { identifier: idOf(1), name: 'Server 1' },
            from: 'running',
            to: 'offline',
            measured_at: (await events())[0]?.['data'].measured_at,
          },
        },
      ]);
    });

  it("tells the host of a customer's server, whose panel user was never looked up", async () => {
    await subscribe('host');
    const customer = await service.addUser({ externalId: 'customer-1', panelUserId: null });
    service.panel.users.push({ ...panelUser, id: 8, external_id: 'customer-1' });
    service.panel.servers.set(7, []);
    service.panel.servers.set(8, [panelServer({ identifier: 'theirs', uuid: 'theirs' })]);
    const watch = startWatch();
    await pass(40, watch);
    service.panel.runStates.set('theirs', 'offline');
    await pass(60, watch);
    expect((await events()).map(({ userId, data }) => [userId, data.server.identifier])).to.deep.equal([
      [customer._id, 'theirs'],
    ]);
  });

  it('reads at most half as many lists of servers as it may measure servers', async () => {
    await subscribe('host');
    for (let index = 0; index < 20; index += 1) await service.addUser({ panelUserId: 1_000 + index });
    const watch = startWatch();
    await pass(15, watch);
    const lists = service.panel.requests.filter(({ path }) => path.startsWith('/api/application'));
    expect(lists.length).to.be.within(14, (callsPerMinute / 2) * (15 / 60));
    expect(new Set(lists.map(({ path }) => path)).size).to.equal(lists.length);
  });

  it('measures few servers every twenty seconds, which the metrics tell', async () => {
    keepServers(3);
    await subscribe('customer');
    const watch = startWatch();
    await pass(120, watch);
    const measuredPerServer = [0, 1, 2].map(
      (index) => measured().filter(({ path }) => path.includes(idOf(index))).length,
    );
    expect(measuredPerServer).to.deep.equal([6, 6, 6]);
    const metrics = (await service.metrics.registry.metrics()).split('\n');
    expect(metrics)
      .to.include('gamehost_watched_servers 3')
      .and.include('gamehost_watch_measurements_total 18');
  });

  it('pauses while only the reserve is left of the rate limit of the panel', async () => {
    keepServers(30);
    await subscribe('customer');
    service.panel.limitRate({ application: 240, client: 40 }, () => nowMs);
    const watch = startWatch();
    await pass(60, watch);
    expect(measured()).to.have.lengthOf(30);
    await pass(60, watch);
    expect(measured().length).to.be.above(30);
  });

  it('takes two looks within the seconds for which a panel keeps a measurement for one', async () => {
    keepServers(1);
    await subscribe('customer');
    const watch = startWatch();
    const [client] = clients;
    await pass(30, watch);
    service.panel.runStates.set(idOf(0), 'offline');
    service.panel.forget();
    while (measured().length === 0) await pass(0.5, watch);
    await pass(19.5, watch);
    await client?.sendPower(idOf(0), 'stop', 'req-1');
    await client?.getResources(idOf(0), 'req-1');
    await pass(1, watch);
    expect(await events()).to.deep.equal([]);
    await pass(21, watch);
    expect(await events()).to.have.lengthOf(1);
  });

  it('tells nothing of a state that one measurement saw, nor of an unknown one', async () => {
    keepServers(1);
    await subscribe('customer');
    const watch = startWatch();
    await pass(30, watch);
    service.panel.runStates.set(idOf(0), 'offline');
    service.panel.forget();
    while (measured().length === 0) await pass(1, watch);
    service.panel.runStates.set(idOf(0), 'missing');
    await pass(60, watch);
    service.panel.runStates.set(idOf(0), 'running');
    await pass(60, watch);
    expect(await events()).to.deep.equal([]);
  });

  it('is done by one process; another goes on from the last known states within a minute', async () => {
    keepServers(2);
    await subscribe('customer');
    const [first, second] = [startWatch(), startWatch()];
    await pass(40, first, second);
    expect(measured()).to.have.lengthOf(4);
    service.panel.runStates.set(idOf(0), 'offline');
    service.panel.forget();
    await pass(60, second);
    expect(measured().length).to.be.above(0);
    await pass(40, second);
    const [event, ...others] = await events();
    expect(event?.['data']).to.deep.include({ from: 'running', to: 'offline' });
    expect(others).to.deep.equal([]);
  });

  it('hands over at once when its process stops', async () => {
    keepServers(2);
    await subscribe('customer');
    const [first, second] = [startWatch(), startWatch()];
    await pass(11, first, second);
    await first.stop();
    service.panel.forget();
    await pass(11, second);
    expect(measured().length).to.be.above(0);
  });
});
