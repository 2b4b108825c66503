/** The watch over servers measures them and reads lists evenly, within its calls per minute. */
import { expect } from 'chai';
import { idOf, startWatchedServers } from '../support/server-watch.ts';
import { useForEach } from '../support/use-started.ts';

describe('the watch over servers', () => {
  const watched = useForEach(startWatchedServers);

  const addPanelUsers = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => watched.service.addUser({ panelUserId: 1_000 + index })),
    );

  it('measures a hundred servers evenly every two and a half minutes, with at most forty calls a minute', async () => {
    watched.keepServers(100);
    await watched.subscribe('customer');
    const watch = watched.startWatch(40);
    await watched.pass(30, watch);
    for (let minute = 0; minute < 2; minute += 1) {
      watched.service.panel.forget();
      await watched.pass(30, watch);
      expect(watched.measured().length, 'in half a minute').to.be.within(19, 21);
      await watched.pass(30, watch);
      expect(watched.measured().length, 'in a minute').to.be.within(39, 40);
    }
    watched.service.panel.forget();
    await watched.pass(155, watch); // its lists count too
    expect(new Set(watched.measured().map(({ path }) => path)).size).to.equal(100);
  });

  it('keeps lists and measurements together within its calls per minute', async () => {
    await watched.subscribe('host');
    await addPanelUsers(20);
    const calls = 40;
    const watch = watched.startWatch(calls);
    const madeBy: number[] = [];
    for (let half = 0; half < 250; half += 1) {
      await watched.pass(0.5, watch);
      madeBy.push(watched.service.panel.requests.length);
    }
    const ofMinutes = madeBy.slice(120).map((made, index) => made - (madeBy[index] ?? 0));
    expect(Math.max(...ofMinutes)).to.equal(calls);
  });

  it('reads the lists of all customers in turn, even if it cannot read each in a minute', async () => {
    await watched.subscribe('host');
    watched.keepServers(0);
    await addPanelUsers(10);
    await watched.pass(180, watched.startWatch(8));
    expect(new Set(watched.service.panel.requests.map(({ path }) => path)).size).to.equal(11);
  });

  it("measures few servers at least every twenty seconds, from one call's start to the next", async () => {
    watched.keepServers(1);
    watched.delayAnswers(100);
    await watched.subscribe('customer');
    await watched.pass(120, watched.startWatch());
    const { measuredAt } = watched;
    const gaps = measuredAt.slice(1).map((at, index) => at - (measuredAt[index] ?? 0));
    expect(Math.max(...gaps)).to.be.within(10_000, 20_000);
  });

  it('measures few servers every twenty seconds, as the metrics show', async () => {
    watched.keepServers(3);
    await watched.subscribe('customer');
    const watch = watched.startWatch();
    await watched.pass(120, watch);
    const measuredPerServer = [0, 1, 2].map(
      (index) => watched.measured().filter(({ path }) => path.includes(idOf(index))).length,
    );
    expect(measuredPerServer).to.deep.equal([7, 7, 7]);
    const metrics = (await watched.service.metrics.registry.metrics()).split('\n');
    expect(metrics)
      .to.include('gamehost_watched_servers 3')
      .and.include('gamehost_watch_measurements_total 21');
  });

  it("pauses while only the reserve of the panel's rate limit is left", async () => {
    watched.keepServers(30);
    await watched.subscribe('customer');
    watched.service.panel.limitRate({ application: 240, client: 40 }, watched.clock);
    const watch = watched.startWatch();
    await watched.pass(60, watch);
    expect(watched.measured()).to.have.lengthOf(30);
    await watched.pass(60, watch);
    expect(watched.measured().length).to.be.above(30);
  });
});
