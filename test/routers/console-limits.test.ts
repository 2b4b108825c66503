/** A panel that issues few console tokens for a server, shared by all its callers. */
import { expect } from 'chai';
import { panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';

describe('consoles on a panel that issues five tokens a minute for a server', () => {
  const service = useOwner({ rateLimitPerMinute: 10_000, dialect: 'pelican' });
  beforeEach(() => {
    resetPanel(service, [panelServer({ identifier: id })]);
    service.panel.conditions.serverLimits.add('websocket');
    service.panel.servers.set(8, [panelServer({ identifier: 'b1b2c3d4', uuid: 'b1b2c3d4' })]);
    service.panel.runStates.set(id, 'offline').set('b1b2c3d4', 'offline');
  });

  const read = () => service.call('GET', `/servers/${id}/console`, { key: service.key });

  /** The owner's browser requests tokens at the panel. */
  async function useUpTokens() {
    const { url, clientKey } = service.panel;
    const headers = { authorization: `Bearer ${clientKey}`, accept: 'application/json' };
    for (let count = 0; count < 5; count += 1)
      await fetch(`${url}/api/client/servers/${id}/websocket`, { headers });
    service.panel.forget();
  }

  it('answer 502 with the time to retry when tokens run out, request none meanwhile, and work afterwards', async () => {
    await useUpTokens();
    const refused = await read();
    expect([refused.status, refused.body.error.code]).to.deep.equal([502, 'upstream_error']);
    expect(Number(refused.headers.get('Retry-After'))).to.be.within(55, 60);
    service.clock.advance(10_000);
    expect((await read()).status).to.equal(502);
    const tokens = service.panel.requests.filter(({ path }) => path.endsWith('/websocket'));
    expect(tokens).to.have.lengthOf(1);
    service.clock.advance(50_000);
    expect((await read()).status).to.equal(200);
  });

  it("leave the server's states and other servers' consoles unaffected (200)", async () => {
    await useUpTokens();
    expect((await read()).status).to.equal(502);
    const { body } = await service.call('GET', `/servers/${id}/resources`, { key: service.key });
    expect(body.resources).to.include({ state: 'offline', reason: null });
    const power = { key: service.key, body: { signal: 'start' } };
    expect((await service.call('POST', `/servers/${id}/power`, power)).status).to.equal(202);
    const states = await service.call('GET', '/servers/states', { key: service.key });
    expect(states.body.states[0].state).to.equal('offline');
    const other = await service.call('GET', '/servers/b1b2c3d4/console', { key: service.otherUser });
    expect(other.status).to.equal(200);
  });

  it('keep working with the current token while other callers use up the rest (200)', async () => {
    expect((await read()).status).to.equal(200);
    await useUpTokens();
    service.clock.advance(5_000);
    expect((await read()).status).to.equal(200);
  });
});
