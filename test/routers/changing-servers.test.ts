/** A server that changes, by a signal or by itself, is shown as its node reports it, even if the panel has cached an older state. */
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { createSendMessage, toolCall } from '../support/mcp.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { startTestService } from '../support/service.ts';
import { useOwner } from '../support/use-key.ts';
import { useStarted } from '../support/use-started.ts';

const id = 'a1b2c3d4';
const keptMs = 20_000;

const serverOf = (changed = {}) => panelServer({ identifier: id, uuid: `${id}-uuid`, node: 3, ...changed });

describe('a changing server', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000 });
  beforeEach(() => resetPanel(service, [serverOf()]));
  afterEach(() => {
    service.panel.nodeScript.intercept = () => false;
    service.panel.conditions.transferring.clear();
    service.panel.conditions.maintainedNodes.clear();
  });

  const resources = async () =>
    (await service.call('GET', `/servers/${id}/resources`, { key: service.key })).body.resources;
  const states = async () =>
    (await service.call('GET', '/servers/states', { key: service.key })).body.states[0];
  const toolResources = async () =>
    (
      await createSendMessage(service.url)(toolCall('get_server_resources', { server_identifier: id }), {
        key: service.key,
      })
    ).body.result.structuredContent.resources;
  const power = (signal: string) =>
    service.call('POST', `/servers/${id}/power`, { key: service.key, body: { signal } });
  const become = (state: string) => service.panel.runStates.set(id, state);
  const timeOf = ({ measured_at }: { measured_at: string }) => Date.parse(measured_at);
  const callsTo = (rest: string) =>
    service.panel.requests.filter(({ path }) => path.endsWith(`/${rest}`)).length;

  /** Acts like a browser at the panel, which makes the panel cache its measurements. */
  const lookAtPanel = () =>
    fetch(`${service.panel.url}/api/client/servers/${id}/resources`, {
      headers: { Accept: 'application/json', Authorization: `Bearer ${service.panel.clientKey}` },
    });

  for (const [what, look] of [
    ['GET /servers/{id}/resources', resources],
    ['GET /servers/states', states],
    ['get_server_resources', toolResources],
  ] as const) {
    it(`is shown as its node reports it within 3 seconds of each change after a signal, in ${what}`, async () => {
      expect((await look()).state).to.equal('running');
      expect((await power('restart')).status).to.equal(202);
      for (const state of ['stopping', 'offline', 'starting', 'running']) {
        become(state);
        service.clock.advance(3_000);
        await lookAtPanel();
        expect((await look()).state).to.equal(state);
      }
    });

    it(`is shown as its node reports it minutes after a slow signal, in ${what}`, async () => {
      await power('start');
      become('starting');
      for (let passedMs = 0; passedMs < 180_000; passedMs += 30_000) {
        service.clock.advance(30_000);
        expect((await look()).state).to.equal('starting');
      }
      become('running');
      service.clock.advance(3_000);
      expect((await look()).state).to.equal('running');
    });
  }

  it("is shown with its node's figures", async () => {
    await power('stop');
    become('offline');
    expect(await resources()).to.deep.include({
      ...{ state: 'offline', reason: null, memory_bytes: 0, cpu_percent: 0, disk_bytes: 130_156_361 },
      ...{ network_rx_bytes: 0, network_tx_bytes: 0, uptime_ms: 0 },
    });
  });

  it('is shown with its state when its node reports no figures', async () => {
    service.panel.nodeScript.intercept = (_socket, event) => event === 'send stats';
    await power('restart');
    become('starting');
    expect(await resources()).to.include({ state: 'starting', reason: null, memory_bytes: null });
  });

  it('has measured_at set to the time when its node was asked', async () => {
    await power('restart');
    const before = service.clock.now();
    expect(timeOf(await resources())).to.be.within(before, service.clock.now());
  });

  it('never has a measured_at later than the measurement when the panel serves a cached one', async () => {
    await lookAtPanel();
    const measuredAt = service.clock.now();
    service.clock.advance(15_000);
    const current = await resources();
    expect(timeOf(current)).to.be.within(service.clock.now() - keptMs - 1_000, measuredAt);
    expect(timeOf(await states())).to.equal(timeOf(current));
  });

  it('is never shown in an older state than the last one shown', async () => {
    await power('stop');
    become('stopping');
    await resources();
    become('offline');
    const times: number[] = [];
    for (let second = 0; second < 120; second += 1) {
      service.clock.advance(1_000);
      if (second === 50) await lookAtPanel();
      const current = await resources();
      if (second > 0) expect(current.state).to.equal('offline');
      times.push(timeOf(current));
    }
    expect(times).to.deep.equal(times.toSorted((one, other) => one - other));
  });

  for (const [what, seconds, look] of [
    ['two minutes and is polled each second', 120, resources],
    [
      'a minute and is polled each second in all ways',
      60,
      () => Promise.all([resources(), states(), toolResources()]),
    ],
  ] as const)
    it(`costs at most 15 panel calls while it starts for ${what}`, async () => {
      become('offline');
      await resources();
      service.panel.forget();
      await power('start');
      become('starting');
      for (let second = 0; second < seconds; second += 1) {
        service.clock.advance(1_000);
        await look();
      }
      expect(service.panel.requests.length).to.be.at.most(15);
      expect(callsTo('websocket')).to.equal(1);
    });

  it('is followed at its node when the panel reports it starting without our signal', async () => {
    become('starting');
    expect((await resources()).state).to.equal('starting');
    become('running');
    service.clock.advance(3_000);
    expect((await resources()).state).to.equal('running');
  });

  it('is followed after its node restarted and rejects earlier tokens', async () => {
    await power('restart');
    await resources();
    let isRefused = false;
    service.panel.nodeScript.intercept = (socket, event) => {
      if (isRefused || event !== 'auth') return false;
      isRefused = true;
      socket.send(JSON.stringify({ event: 'jwt error', args: ['jwt: created too far in past (denylist)'] }));
      return true;
    };
    become('starting');
    service.clock.advance(20_000);
    expect((await resources()).state).to.equal('starting');
    expect([isRefused, callsTo('websocket')]).to.deep.equal([true, 2]);
  });

  it('is read from the panel once in 20 seconds when its node refuses our sockets', async () => {
    service.panel.nodeScript.intercept = (socket) => {
      socket.close();
      return true;
    };
    await power('stop');
    const before = service.clock.now();
    for (let second = 0; second < 15; second += 1) {
      const current = await resources();
      expect(current.state).to.equal('running');
      expect(timeOf(current)).to.be.below(before);
      service.clock.advance(1_000);
    }
    expect([callsTo('resources'), callsTo('websocket')]).to.deep.equal([1, 1]);
  });

  for (const [what, begin, reason] of [
    [
      'suspended',
      () => service.panel.servers.set(7, [serverOf({ suspended: true })]),
      'The server is suspended.',
    ],
    [
      'installed',
      () => service.panel.servers.set(7, [serverOf({ status: 'installing' })]),
      'The server has not finished its installation.',
    ],
    [
      'restored',
      () => service.panel.servers.set(7, [serverOf({ status: 'restoring_backup' })]),
      'The server is being restored from a backup.',
    ],
    [
      'transferred',
      () => service.panel.conditions.transferring.add(id),
      'The server is being moved to another machine.',
    ],
    [
      'in maintenance',
      () => service.panel.conditions.maintainedNodes.add(3),
      'The machine that hosts the server is under maintenance.',
    ],
  ] as const)
    it(`is unknown with the reason within 3 seconds once it is ${what}, whatever its node reports`, async () => {
      await power('restart');
      expect((await resources()).state).to.equal('running');
      begin();
      service.clock.advance(3_000);
      expect(await resources()).to.include({ state: 'unknown', reason, memory_bytes: null });
      expect(await states()).to.include({ state: 'unknown', reason });
      expect((await power('start')).status).to.equal(502);
      expect(await resources()).to.include({ state: 'unknown', reason });
    });
});

describe("a server that changes by another process's signal", () => {
  const service = useOwner({ isShared: true });
  const other = useStarted(() => {
    const { databaseUri, panel } = service;
    const { url, applicationKey, clientKey } = panel;
    return startTestService({ databaseUri, isShared: true, panel: { url, applicationKey, clientKey } });
  });
  const advance = (ms: number) => [service, other].forEach(({ clock }) => void clock.advance(ms));
  const states = async () =>
    (await other.call('GET', '/servers/states', { key: service.key })).body.states[0];

  it('is shown as its node reports it within 3 seconds', async () => {
    service.panel.servers.set(7, [serverOf()]);
    expect((await states()).state).to.equal('running');
    await service.call('POST', `/servers/${id}/power`, { key: service.key, body: { signal: 'restart' } });
    const noted = service.connection.collection('server_changes');
    await eventually(async () => expect(await noted.countDocuments()).to.equal(1), 1_000);
    for (const state of ['stopping', 'offline', 'starting', 'running']) {
      service.panel.runStates.set(id, state);
      advance(3_000);
      expect((await states()).state).to.equal(state);
    }
  });
});
