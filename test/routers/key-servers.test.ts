/** A key can be restricted to servers, and cannot reach others in any operation. */
import { expect } from 'chai';
import type { Operation } from '../../bridge/operations.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { createBatchCall, protocolsOf } from '../support/protocol-clients.ts';
import { refusalMessageOf, startWithRestrictedKeys } from '../support/restricted-keys.ts';
import { sampleInputOf } from '../support/sample-inputs.ts';
import { keyedOperations } from '../support/samples.ts';
import { useStarted } from '../support/use-started.ts';

const isList = ({ method, path }: Operation) => method === 'GET' && !path.includes('{');

describe('a key restricted', () => {
  const service = useStarted(() => startWithRestrictedKeys());
  beforeEach(() => service.removeKeys());

  describe('to servers', () => {
    const mine = panelServer({ identifier: 'mine', uuid: 'my-uuid', name: 'mine' });
    let secret: string;
    beforeEach(async () => {
      service.panel.servers.set(7, [panelServer({ identifier: 'sample', uuid: 'hidden-uuid' }), mine]);
      service.clock.advance(60_000);
      ({ secret } = await service.makeKey({ servers: ['mine'] }));
    });

    const aboutServer = ({ path }: Operation) => path.includes('{server_identifier}');
    const everywhere = (row: Operation) => ({
      ...protocolsOf(service, row),
      batch: createBatchCall(service),
    });
    const overRest = (row: Operation) => ({ rest: protocolsOf(service, row).rest });
    const toldThePanel = () =>
      service.panel.requests.filter(({ path }) => /servers\/(sample|hidden-uuid)/.test(path));

    for (const row of keyedOperations.filter(aboutServer))
      it(`gets 404 not_found from ${row.method} ${row.path} for its owner's other servers in every protocol`, async () => {
        for (const [protocol, ask] of Object.entries(everywhere(row))) {
          const outcome = await ask(row, sampleInputOf(row), secret);
          expect(outcome, protocol).to.deep.equal({
            code: 'not_found',
            message: 'Server not found; take its identifier from the list of servers',
          });
        }
        expect(toldThePanel()).to.deep.equal([]);
      });

    for (const row of keyedOperations.filter((each) => !aboutServer(each)))
      it(`neither shows nor changes its owner's other servers with ${row.method} ${row.path}`, async () => {
        if (row.type === 'mutation') await service.restore();
        const hidden = { identifier: 'sample', uuid: 'hidden-uuid', name: 'hidden-name' };
        service.panel.servers.set(7, [panelServer(hidden), mine]);
        for (const [protocol, ask] of Object.entries(isList(row) ? everywhere(row) : overRest(row)))
          for (const input of isList(row) ? [{}, sampleInputOf(row)] : [sampleInputOf(row)]) {
            const outcome = await ask(row, input, secret);
            expect(JSON.stringify(outcome), protocol).to.not.match(/hidden/);
            if (isList(row) && Object.keys(input).length === 0)
              expect(outcome, protocol).to.have.property('data');
          }
        expect(toldThePanel()).to.deep.equal([]);
      });

    it('lists and reaches its servers, and shows them in GET /key (200)', async () => {
      const { body } = await service.call('GET', '/servers', { key: secret });
      expect(body.servers.map(({ identifier }: { identifier: string }) => identifier)).to.deep.equal([
        'mine',
      ]);
      expect(body.summary).to.deep.equal({ total: 1 });
      for (const [asked, status] of [
        ['mine', 200],
        ['my-uuid', 200],
        ['hidden-uuid', 404],
      ] as const)
        expect((await service.call('GET', `/servers/${asked}`, { key: secret })).status, asked).to.equal(
          status,
        );
      const { key } = (await service.call('GET', '/key', { key: secret })).body;
      expect(key).to.deep.include({ servers: ['mine'], addresses: null });
    });

    it('sees only its own calls in /activity and its summary (200)', async () => {
      const other = await service.makeKey({});
      await service.call('GET', '/me', { key: other.secret });
      await service.call('GET', '/me', { key: secret });
      await service.flushAudit();
      const { activity } = (await service.call('GET', '/activity', { key: secret })).body;
      expect(activity.map(({ operation }: { operation: string }) => operation)).to.deep.equal(['account.me']);
      const { days, keys: counted } = (await service.call('GET', '/activity/summary?days=1', { key: secret }))
        .body;
      expect([days[0].calls, counted.length, counted[0].calls]).to.deep.equal([1, 1, 1]);
    });

    it("can be created only for its owner's servers: a foreign one is refused like a missing one", async () => {
      service.panel.servers.set(8, [panelServer({ identifier: 'theirs', uuid: 'their-uuid' })]);
      expect(await refusalMessageOf(service.create({ servers: ['mine', 'theirs'] }))).to.equal(
        'Server not found; take its identifier from the list of servers',
      );
      expect(await refusalMessageOf(service.create({ servers: ['mine', 'nowhere'] }))).to.equal(
        'Server not found; take its identifier from the list of servers',
      );
      expect((await service.create({ servers: ['mine', 'mine'] })).key.servers).to.deep.equal(['mine']);
    });

    it('keeps its servers in a rotation', async () => {
      const { key } = await service.create({ servers: ['mine'], addresses: ['203.0.113.0/24'] });
      const rotated = await (await service.account()).keys.rotate.mutate({ id: key.id, overlap_hours: 0 });
      expect(rotated.key).to.deep.include({ servers: ['mine'], addresses: ['203.0.113.0/24'] });
    });

    it('cannot hold write:webhooks, neither when created nor after a rotation', async () => {
      const page = await service.account();
      const request = { name: 'test', scopes: ['read:account', 'write:webhooks'] };
      expect(await refusalMessageOf(page.keys.create.mutate({ ...request, servers: ['mine'] }))).to.equal(
        'A key that is restricted to servers cannot have write:webhooks',
      );
      const unrestricted = await page.keys.create.mutate(request);
      expect((await service.call('GET', '/webhooks', { key: unrestricted.secret })).status).to.equal(200);
      const { key } = await service.create({ servers: ['mine'] });
      const rotated = await page.keys.rotate.mutate({ id: key.id, overlap_hours: 0 });
      expect(rotated.key.scopes).to.deep.equal(key.scopes).and.not.include('write:webhooks');
      const refused = await service.call('GET', '/webhooks', { key: rotated.secret });
      expect([refused.status, refused.body.error.code]).to.deep.equal([403, 'insufficient_scope']);
    });
  });
});
