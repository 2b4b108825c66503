/** One customer's share of panel calls in a minute, and the answers beyond it; other customers notice nothing. */
import { expect } from 'chai';
import { createHold } from '../server/panel/start-panel-test.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { panelBackup, panelServer } from '../support/panel/attributes.ts';
import { useService } from '../support/service.ts';

const owned = (identifier: string, id: number) => panelServer({ id, identifier, uuid: `${identifier}-uuid` });
const tooOften = 'Your account makes too many requests to the panel; try again later';

describe("a customer's share of the panel", () => {
  const service = useService({ rateLimitPerMinute: 100_000, panel: { callsPerCustomer: 10 } });
  let keys: string[];
  let other: string;

  before(async () => {
    const user = await service.addUser({ panelUserId: 7 });
    keys = [(await service.addKey({ user })).secret, (await service.addKey({ user })).secret];
    other = (await service.addKey({ user: await service.addUser({ panelUserId: 8 }) })).secret;
  });
  beforeEach(() => {
    const servers = ['own00001', 'own00002'].map(owned);
    service.panel.servers.set(7, servers);
    service.panel.servers.set(8, [panelServer({ id: 3, identifier: 'others01', uuid: 'others-1' })]);
    service.panel.filesOf(owned('own00001', 1)).write('/a.txt', 'text', 0);
    service.clock.advance(600_000); // Past every cache.
    service.panel.recover();
    service.panel.forget();
  });

  const call = (path: string, key = keys[0], body?: object) =>
    service.call(body ? 'POST' : 'GET', `/servers${path}`, { key: key ?? null, ...(body && { body }) });
  const power = (identifier: string, key?: string) => call(`/${identifier}/power`, key, { signal: 'start' });
  async function useUp() {
    for (let count = 0; count < 20; count += 1) {
      const answer = await power('own00001', keys[count % 2]);
      if (answer.status === 429) return answer;
      expect(answer.status).to.equal(202);
    }
    throw new Error('the share has no end');
  }

  it('is ten calls a minute plus one for each server, over all keys, and 429 says when the next minute begins', async () => {
    const refused = await useUp();
    expectError(refused, 'rate_limited', tooOften);
    expect(service.panel.requests).to.have.lengthOf(12);
    expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 61);
    service.clock.advance(Number(refused.headers.get('Retry-After')) * 1_000);
    expect((await power('own00001')).status).to.equal(202);
  });

  it("leaves other customers' lists, states, power and files working", async () => {
    await useUp();
    const answers = [
      await call('', other),
      await call('/states', other),
      await power('others01', other),
      await call('/others01/files', other),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 202, 200]);
    expect(answers[1]?.body.states[0].state).to.equal('running');
  });

  it('answers lists and states from the cache when used up (200)', async () => {
    await call('/own00002/resources');
    await useUp();
    service.clock.advance(30_000);
    service.panel.forget();
    const [list, state] = [await call(''), await call('/own00002/resources')];
    expect([list.status, state.status]).to.deep.equal([200, 200]);
    expect(state.body.resources).to.include({ state: 'running', reason: null });
    expect(service.panel.requests).to.deep.equal([]);
  });

  it('makes a state that is not cached unknown with the reason when used up (200)', async () => {
    await call('');
    await useUp();
    const { body } = await call('/own00002/resources');
    expect(body.resources).to.include({
      state: 'unknown',
      reason: 'Your account makes too many requests to the panel.',
    });
  });

  it('refuses what is not cached without asking the panel when used up (429)', async () => {
    await useUp();
    service.panel.forget();
    for (const path of ['/own00001/files', '/own00001/console', '/own00001/backups'])
      expectError(await call(path), 'rate_limited', tooOften);
    expect(service.panel.requests).to.deep.equal([]);
  });

  it('completes a write of several calls if the first fits (200) and does nothing otherwise (429)', async () => {
    service.panel.backups.set('own00001', [panelBackup({ uuid: 'backup-1' })]);
    await call('');
    for (let count = 0; count < 10; count += 1) await power('own00001');
    const move = (from: string, to: string) => call('/own00001/files/move', keys[0], { from, to });
    expect((await move('/a.txt', '/b.txt')).status).to.equal(200);
    service.panel.forget();
    expectError(await move('/b.txt', '/c.txt'), 'rate_limited', tooOften);
    expectError(await power('own00001'), 'rate_limited', tooOften);
    expect(service.panel.requests).to.deep.equal([]);
  });

  it('is exceeded by the later calls of at most four writes, however many are sent at once', async () => {
    const servers = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => owned(`many000${id}`, id));
    const files = ['/a/1', '/b/1', '/c/1', '/d/1', '/e/1'];
    service.panel.servers.set(7, servers);
    for (const server of servers)
      for (const file of files) service.panel.filesOf(server).write(file, 'text', 0);
    const [room, writesAtOnce, callsOfDeletion] = [10 + servers.length, 4, 2 * files.length + 1];
    // Leaves capacity for the first call of each deletion.
    await call('');
    for (let count = 1; count < 10; count += 1) await power('many0001');
    const hold = createHold();
    service.panel.respondAbout('files/list', hold);
    const deletions = servers.map(({ identifier }) =>
      call(`/${identifier}/files/delete`, keys[0], { files }),
    );
    await eventually(async () => expect(service.panel.inProgress()).to.have.lengthOf(1));
    await call('/others01/resources', other);
    hold.release();
    const answers = await Promise.all(deletions);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).to.have.length.within(1, servers.length - writesAtOnce);
    for (const answer of refused) expectError(answer, 'rate_limited', tooOften);
    const sent = service.panel.requests.filter(({ path }) => path.endsWith('/files/delete'));
    expect(sent).to.have.lengthOf(answers.filter(({ status }) => status === 200).length);
    expect(sent).to.have.lengthOf(servers.length - refused.length);
    const own = service.panel.requests.filter(({ path }) => /many000|users\/7/.test(path));
    expect(own).to.have.length.at.most(room + writesAtOnce * (callsOfDeletion - 1));
  });

  it("is at most a third of the panel's own limit", async () => {
    service.panel.limitRate({ application: 240, client: 24 }, service.clock.now);
    await call('/own00001/files');
    await useUp();
    expect(service.panel.requests.filter(({ path }) => path.includes('/power'))).to.have.length.at.most(8);
  });
});
