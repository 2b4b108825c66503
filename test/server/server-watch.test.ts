/** The watch over servers' states runs in one process at a time, only with subscribers, and trusts two equal measurements. */
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { idOf, startWatchedServers } from '../support/server-watch.ts';
import { useForEach } from '../support/use-started.ts';
import { located } from './panel/start-panel-test.ts';

const panelUser = { email: 'panel@example.com', uuid: 'f6a9', username: 'customer' };

describe('the watch over servers', () => {
  const watched = useForEach(startWatchedServers);

  /** A watch that has measured a server as running, and then once as offline. */
  async function seeOnceOffline() {
    watched.keepServers(1);
    await watched.subscribe('customer');
    const watch = watched.startWatch();
    await watched.pass(30, watch);
    watched.service.panel.runStates.set(idOf(0), 'offline');
    watched.service.panel.forget();
    while (watched.measured().length === 0) await watched.pass(0.5, watch);
    return watch;
  }

  it('lists and measures nothing without subscribers', async () => {
    await watched.service.addUser({ panelUserId: 7 });
    await watched.pass(60, watched.startWatch());
    expect(watched.service.panel.requests).to.deep.equal([]);
  });

  for (const audience of ['customer', 'host'] as const)
    it(`sends the ${audience} one event for a change that two measurements confirm`, async () => {
      watched.keepServers(3);
      const owner = await watched.subscribe(audience);
      const watch = watched.startWatch();
      await watched.pass(30, watch);
      watched.service.panel.runStates.set(idOf(1), 'offline');
      await watched.pass(100, watch);
      const [event, ...others] = await watched.events();
      expect(others).to.deep.equal([]);
      expect(event).to.include({ type: 'server.state_changed', userId: owner._id });
      const server = { identifier: idOf(1), name: 'Server 1' };
      expect(event?.['data']).to.deep.include({ server, from: 'running', to: 'offline' });
    });

  it('measures the servers of a list that loads for longer than the pause between its rounds', async () => {
    const { panel } = watched.service;
    watched.keepServers(1);
    await watched.subscribe('customer');
    const watch = watched.startWatch();
    let answer = () => {};
    panel.respondNext({ after: new Promise<void>((resolve) => (answer = resolve)) });
    const listing = watched.pass(0.5, watch);
    await eventually(async () => expect(panel.requests).to.have.lengthOf(1));
    await watched.pass(11, watch);
    answer();
    await listing;
    await watched.pass(1, watch);
    expect(watched.measured()).to.have.lengthOf(1);
  });

  it("keeps a server's last state while it is listed, and thirty days longer", async () => {
    watched.keepServers(2);
    await watched.subscribe('customer');
    const watch = watched.startWatch();
    await watched.pass(30, watch);
    const records = watched.service.connection.collection<{ _id: string; seenAt: Date }>('server_watches');
    const isServer = { _id: /^server:/ };
    const longAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
    await records.updateMany(isServer, { $set: { seenAt: longAgo } });
    watched.keepServers(1);
    await watched.pass(90, watch);
    const [kept, gone] = await records.find(isServer).sort({ _id: 1 }).toArray();
    expect(kept?.seenAt).to.be.above(longAgo);
    expect(gone?.seenAt).to.deep.equal(longAgo);
    const lifetimes = (await records.indexes()).map(({ key, expireAfterSeconds }) => [
      key,
      expireAfterSeconds,
    ]);
    expect(lifetimes).to.deep.include([{ seenAt: 1 }, 30 * 24 * 60 * 60]);
  });

  it('sends the host events of a customer whose panel user was never looked up', async () => {
    await watched.subscribe('host');
    const customer = await watched.service.addUser({ externalId: 'customer-1', panelUserId: null });
    watched.service.panel.users.push({ ...panelUser, id: 8, external_id: 'customer-1' });
    watched.service.panel.servers.set(7, []);
    watched.service.panel.servers.set(8, [panelServer({ identifier: 'theirs', uuid: 'theirs' })]);
    const watch = watched.startWatch();
    await watched.pass(40, watch);
    watched.service.panel.runStates.set('theirs', 'offline');
    await watched.pass(60, watch);
    expect(
      (await watched.events()).map(({ userId, data }) => [userId, data.server.identifier]),
    ).to.deep.equal([[customer._id, 'theirs']]);
  });

  it('counts two reads as one while the panel caches the measurement', async () => {
    const watch = await seeOnceOffline();
    await watched.pass(19.5, watch);
    const [client] = watched.clients;
    await client?.sendPower(located(idOf(0)), 'stop', 'req-1');
    await client?.getResources(located(idOf(0)), 'req-1');
    await watched.pass(1, watch);
    expect(await watched.events()).to.deep.equal([]);
    await watched.pass(21, watch);
    expect(await watched.events()).to.have.lengthOf(1);
  });

  it('sends nothing for a state measured once, which a panel caches for 20 seconds', async () => {
    const watch = await seeOnceOffline();
    await watched.pass(19.5, watch);
    watched.service.panel.runStates.set(idOf(0), 'running');
    await watched.pass(60, watch);
    expect(await watched.events()).to.deep.equal([]);
  });

  it('sends nothing for a state seen in one measurement, or an unknown state', async () => {
    const watch = await seeOnceOffline();
    watched.service.panel.runStates.set(idOf(0), 'missing');
    await watched.pass(60, watch);
    watched.service.panel.runStates.set(idOf(0), 'running');
    await watched.pass(60, watch);
    expect(await watched.events()).to.deep.equal([]);
  });

  it('runs in one process, and another continues from the last known states within a minute', async () => {
    watched.keepServers(2);
    await watched.subscribe('customer');
    const [first, second] = [watched.startWatch(), watched.startWatch()];
    await watched.pass(40, first, second);
    expect(watched.measured()).to.have.lengthOf(6);
    watched.service.panel.runStates.set(idOf(0), 'offline');
    watched.service.panel.forget();
    await watched.endLease();
    await watched.pass(60, second);
    expect(watched.measured().length).to.be.above(0);
    await watched.pass(40, second);
    const [event, ...others] = await watched.events();
    expect(event?.['data']).to.deep.include({ from: 'running', to: 'offline' });
    expect(others).to.deep.equal([]);
  });

  it('moves to another process at once when its process stops', async () => {
    watched.keepServers(2);
    await watched.subscribe('customer');
    const [first, second] = [watched.startWatch(), watched.startWatch()];
    await watched.pass(11, first, second);
    await first.stop();
    watched.service.panel.forget();
    await watched.pass(11, second);
    expect(watched.measured().length).to.be.above(0);
  });
});
