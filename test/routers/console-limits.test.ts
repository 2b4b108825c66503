/** A panel that gives few tokens for the console of a server, to all its callers together. */
import { expect } from 'chai';
import { panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';

describe('consoles of a panel that gives five tokens a minute for a server', () => {
  const service = useOwner({ rateLimitPerMinute: 10_000, dialect: 'pelican' });
  beforeEach(() => {
    resetPanel(service, [panelServer({ identifier: id })]);
    service.panel.conditions.serverLimits.add('websocket');
    service.panel.servers.set(8, [panelServer({ identifier: 'b1b2c3d4', uuid: 'b1b2c3d4' })]);
    service.panel.runStates.set(id, 'offline').set('b1b2c3d4', 'offline');
  });

  const read = () => service.call('GET', `/servers/${id}/console`, { key: service.key });

  /** As the owner's own browser asks for them in the panel. */
  async function useUpTokens() {
    const { url, clientKey } = service.panel;
    const headers = { authorization: `Bearer ${clientKey}`, accept: 'application/json' };
    for (let count = 0; count < 5; count += 1)
      await fetch(`${url}/api/client/servers/${id}/websocket`, { headers });
    service.panel.forget();
  }

  it('502: say when to try again where all are used up, ask for none meanwhile, and are there then', async () => {
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

  it('200: leave the states of the server, and the consoles of others, as they were', async () => {
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

  it('200: go on with the token that there is, though other callers use up the rest', async () => {
    expect((await read()).status).to.equal(200);
    await useUpTokens();
    service.clock.advance(5_000);
    expect((await read()).status).to.equal(200);
  });
});
