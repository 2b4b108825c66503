/** Additions in a later panel version do not cause failures: unknown fields, states and codes. */
import { expect } from 'chai';
import { panelBackup, panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const novelty = { novelty: { deep: [1, { of: null }] } };

describe('a later panel version', () => {
  const service = useOwner({ rateLimitPerMinute: 10_000 });
  beforeEach(() => resetPanel(service, [panelServer({ identifier: id })]));

  const get = (rest: string) => service.call('GET', `/servers${rest}`, { key: service.key });
  const panelPart = async () => (await service.callAt('GET', '/readyz')).body.parts.panel;

  it('can add fields to servers, limits and backups without effect (200)', async () => {
    const before = (await get(`/${id}`)).body;
    const server = panelServer({ identifier: id });
    const limits = { ...server.limits, ...novelty };
    const container = { ...server.container, ...novelty };
    service.panel.servers.set(7, [panelServer({ ...server, ...novelty, limits, container })]);
    service.panel.backups.set(id, [panelBackup(novelty)]);
    service.clock.advance(60_000);
    expect((await get(`/${id}`)).body).to.deep.equal(before);
    expect((await get(`/${id}/backups`)).body.backups).to.have.lengthOf(1);
    expect((await get('')).text).not.to.include('novelty');
  });

  it('can add a server status, which is shown while the live state is still read (200)', async () => {
    service.panel.servers.set(7, [panelServer({ identifier: id, status: 'migrating' })]);
    expect((await get(`/${id}`)).body.server.status).to.equal('migrating');
    expect((await get(`/${id}/resources`)).body.resources.state).to.equal('running');
  });

  it('can add a run state, which is unknown in the live state and in the console (200)', async () => {
    service.panel.runStates.set(id, 'hibernating');
    const reason = 'The server is in a state that this API does not know.';
    expect((await get(`/${id}/resources`)).body.resources).to.include({ state: 'unknown', reason });
    expect((await get(`/${id}/console`)).body.console).to.include({ state: 'unknown', reason });
  });

  it('can reword a conflict, which makes the live state unknown (200)', async () => {
    await get('');
    service.panel.failWith(409, 'ServerHibernatesException', { detail: 'It sleeps.' });
    expect((await get(`/${id}/resources`)).body.resources).to.include({
      state: 'unknown',
      reason: 'The state of the server does not allow this.',
    });
    expect(await panelPart()).to.equal('ok');
  });

  it('can add an error code without stopping later requests or becoming unavailable', async () => {
    for (const status of [400, 402, 418, 500, 400, 402, 418, 500]) {
      const errors = [{ code: 'NewException', status: String(status), detail: 'new', ...novelty }];
      service.panel.respondNext({ status, body: { errors, ...novelty } });
      service.clock.advance(60_000);
      await get('');
    }
    service.clock.advance(1_000);
    expect((await get('')).status).to.equal(200);
    expect(await panelPart()).to.equal('ok');
  });
});
