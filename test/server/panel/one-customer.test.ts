/** Other customers get responses at once, whatever one customer does for a minute and however the panel limits calls. */
import { expect } from 'chai';
import { panelServer } from '../../support/panel/attributes.ts';
import { useService } from '../../support/service.ts';

const minuteMs = 60_000;

/** Both customers are on one node. */
const own = panelServer({ id: 1, identifier: 'busy0001', uuid: 'busy0001-uuid', node: 1 });
const others = panelServer({ id: 2, identifier: 'calm0001', uuid: 'calm0001-uuid', node: 1 });

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`a service on ${dialect} serves others while one customer`, () => {
    const service = useService({ dialect, rateLimitPerMinute: 100_000, panel: { callsPerCustomer: 90 } });
    let busy: string;
    let calm: string;

    before(async () => {
      busy = (await service.addKey({ user: await service.addUser({ panelUserId: 7 }) })).secret;
      calm = (await service.addKey({ user: await service.addUser({ panelUserId: 8 }) })).secret;
    });
    beforeEach(() => {
      const { panel, clock } = service;
      panel.recover();
      panel.servers.set(7, [own]);
      panel.servers.set(8, [others]);
      for (const limit of ['websocket', 'restore', 'backups'] as const)
        panel.conditions.serverLimits.add(limit);
      const limits = dialect === 'pelican' ? [256, 256] : [240, 720];
      panel.limitRate({ application: limits[0] ?? 0, client: limits[1] ?? 0 }, clock.now);
      panel.limitWorkers(5);
      panel.filesOf(own).write('/a.txt', 'text', 0);
      panel.filesOf(others).write('/a.txt', 'text', 0);
      clock.advance(10 * minuteMs);
    });
    afterEach(() => service.panel.giveUpOnNodes());

    const call = (path: string, key: string, body?: object) =>
      service.call(body ? 'POST' : 'GET', `/servers${path}`, { key, ...(body && { body }) });

    async function expectOthersServed() {
      const answers = await Promise.all([
        call('', calm),
        call('/states', calm),
        call('/calm0001/power', calm, { signal: 'restart' }),
        call('/calm0001/files', calm),
        call('/calm0001/files/content?file=/a.txt', calm),
      ]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 202, 200, 200]);
      expect(answers[1]?.body.states[0].state).not.to.equal('unknown');
      expect((await service.callAt('GET', '/readyz')).body.parts.panel).to.equal('ok');
    }

    /** Repeats the call for a minute of the service's clock; others send requests before it ends. */
    async function keepOn(act: () => Promise<unknown>, everyMs = 2_000) {
      const asked: Promise<unknown>[] = [];
      for (let elapsedMs = 0; elapsedMs < minuteMs; elapsedMs += everyMs) {
        asked.push(act());
        if (elapsedMs % 10_000 === 0) await expectOthersServed();
        service.clock.advance(everyMs);
      }
      service.panel.giveUpOnNodes();
      await Promise.all(asked);
      await expectOthersServed();
    }

    it('keeps reading a console', () => keepOn(() => call('/busy0001/console', busy)));

    it('keeps reading a pipe', async () => {
      service.panel.filesOf(own).pipe('/pipe', 0);
      await keepOn(() => call('/busy0001/files/content?file=/pipe', busy));
    });

    it('keeps reading a file of 5 GB', async () => {
      service.panel.filesOf(own).writeZeros('/world.zip', 5e9, 0);
      await keepOn(() => call('/busy0001/files/content?file=/world.zip', busy));
    });

    it('keeps listing 30,000 files', async () => {
      for (let index = 0; index < 30_000; index += 1)
        service.panel.filesOf(own).write(`/many/${index}.txt`, '', 0);
      // The stand-in panel builds each list in this process.
      await keepOn(() => call('/busy0001/files?directory=/many', busy), 10_000);
    });

    it('keeps deleting twenty directories at a time', async () => {
      const directories = Array.from({ length: 20 }, (_, index) => `/world-${index}`);
      await keepOn(() => {
        for (const directory of directories) service.panel.filesOf(own).write(`${directory}/a.txt`, '', 0);
        return call('/busy0001/files/delete', busy, { files: directories });
      });
    });

    it('keeps calling a server that the panel answers with bare errors', async () => {
      await call('/busy0001', busy);
      for (let count = 0; count < 10; count += 1) {
        service.panel.respondNext({ status: 500 });
        expect((await call('/busy0001/files', busy)).status).to.equal(502);
      }
      await expectOthersServed();
    });
  });
