/** What a panel adds in a later version is no failure: fields, states and codes that nobody here knows. */
import { expect } from 'chai';
import { panelBackup, panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const novelty = { novelty: { deep: [1, { of: null }] } };

describe('what a panel adds', () => {
  const service = useOwner({ rateLimitPerMinute: 10_000 });
  beforeEach(() => resetPanel(service, [panelServer({ identifier: id })]));

  const get = (rest: string) => service.call('GET', `/servers${rest}`, { key: service.key });
  const panelPart = async () => (await service.callAt('GET', '/readyz')).body.parts.panel;

  it('200: fields of servers, limits and backups change nothing', async () => {
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

  it('200: a status of a server is shown as it is, and its live state is read', async () => {
    service.panel.servers.set(7, [panelServer({ identifier: id, status: 'migrating' })]);
    expect((await get(`/${id}`)).body.server.status).to.equal('migrating');
    expect((await get(`/${id}/resources`)).body.resources.state).to.equal('running');
  });

  it('200: a run state is unknown, in the live state and in the console', async () => {
    service.panel.runStates.set(id, 'hibernating');
    const reason = 'The server is in a state that this API does not know.';
    expect((await get(`/${id}/resources`)).body.resources).to.include({ state: 'unknown', reason });
    expect((await get(`/${id}/console`)).body.console).to.include({ state: 'unknown', reason });
  });

  it('200: a conflict in new words makes the live state unknown', async () => {
    await get('');
    service.panel.failWith(409, 'ServerHibernatesException', { detail: 'It sleeps.' });
    expect((await get(`/${id}/resources`)).body.resources).to.include({
      state: 'unknown',
      reason: 'The state of the server does not allow this.',
    });
    expect(await panelPart()).to.equal('ok');
  });

  it('a code of an error stops no later request, and the panel is still available', async () => {
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
