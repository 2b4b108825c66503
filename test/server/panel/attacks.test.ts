/** Customers whose own servers hang, fail or are slow cause no failed call of another customer. */
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { sha256, url } from '../../support/fetched-file.ts';
import { panelSchedule, panelServer } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { useOwner } from '../../support/use-key.ts';
import { createHold } from './start-panel-test.ts';

const serverOn = (node: number, identifier: string) =>
  panelServer({ id: node * 100 + identifier.length, identifier, uuid: `${identifier}-uuid`, node });
const bareError = { status: 500, body: '<h1>Whoops</h1>' };

describe('a service whose customers attack the panel through their servers', () => {
  const service = useOwner({
    rateLimitPerMinute: 100_000,
    panel: { queueMs: 1_000, slowMs: 200, liveWaitMs: 3_000, callsPerCustomer: 0 },
  });
  let accomplice: string;
  let hold: ReturnType<typeof createHold>;

  before(async () => {
    accomplice = (await service.addKey({ user: await service.addUser({ panelUserId: 9 }) })).secret;
  });
  beforeEach(async () => {
    resetPanel(service, [serverOn(1, 'mine1'), serverOn(2, 'mine2')]);
    service.panel.servers.set(9, [serverOn(1, 'theirs1')]);
    service.panel.servers.set(8, [serverOn(1, 'calm1'), serverOn(2, 'calm2')]);
    for (const identifier of ['mine1', 'mine2', 'theirs1'])
      service.panel.schedules.set(identifier, [panelSchedule({ id: 1 })]);
    service.panel.limitWorkers(5);
    hold = createHold();
    await Promise.all([service.key, accomplice, service.otherUser].map((key) => call('', key)));
  });
  afterEach(() => hold.release());

  const call = (path: string, key: string, body?: object) =>
    service.call(body ? 'POST' : 'GET', `/servers${path}`, { key, ...(body && { body }) });
  const power = (identifier: string, key = service.otherUser) =>
    call(`/${identifier}/power`, key, { signal: 'start' });

  /** Another customer's failed calls, as messages, and unknown states. */
  async function failuresOfOthers() {
    const key = service.otherUser;
    const answers = await Promise.all([
      call('', key),
      ...['calm1', 'calm2'].flatMap((id) => [
        call(`/${id}`, key),
        call(`/${id}/files`, key),
        call(`/${id}/command`, key, { command: 'list' }),
        power(id),
      ]),
    ]);
    const states = (await call('/states', key)).body.states;
    service.clock.advance(20_000); // past the caches of lists and states
    return [
      ...answers.filter(({ status }) => status >= 300).map(({ body }) => body.error.message),
      ...states.filter(({ state }: { state: string }) => state === 'unknown'),
    ];
  }

  it('fails 0 of 80 calls of others while two servers of one customer, on two nodes, answer bare 500s', async () => {
    for (const identifier of ['mine1', 'mine2']) service.panel.respondAbout(identifier, bareError);
    for (let round = 0; round < 8; round += 1) {
      for (const identifier of ['mine1', 'mine2', 'mine1', 'mine2', 'mine1', 'mine2'])
        expect((await power(identifier, service.key)).status).to.equal(502);
      expect(await failuresOfOthers()).to.deep.equal([]);
    }
  });

  it('fails 0 of 80 calls of others while servers of two customers on two nodes answer bare 500s', async () => {
    for (const identifier of ['mine2', 'theirs1']) service.panel.respondAbout(identifier, bareError);
    for (let round = 0; round < 8; round += 1) {
      for (let count = 0; count < 3; count += 1) {
        expect((await power('mine2', service.key)).status).to.equal(502);
        expect((await power('theirs1', accomplice)).status).to.equal(502);
      }
      expect(await failuresOfOthers()).to.deep.equal([]);
    }
  });

  it('fails 0 of 80 calls of others while commands and runs of two customers hang on one node', async () => {
    for (const identifier of ['mine1', 'theirs1'])
      for (const what of ['command', 'schedules/1/execute'])
        service.panel.respondAbout(`${identifier}/${what}`, hold);
    const own = [
      ['mine1', service.key],
      ['theirs1', accomplice],
    ] as const;
    const hanging = own.flatMap(([id, key]) => [
      call(`/${id}/command`, key, { command: 'list' }),
      call(`/${id}/schedules/1/run`, key, {}),
    ]);
    await eventually(async () => expect(service.panel.inProgress()).to.have.lengthOf(2));
    for (let round = 0; round < 8; round += 1) expect(await failuresOfOthers()).to.deep.equal([]);
    hold.release();
    await Promise.all(hanging);
    expect(await failuresOfOthers()).to.deep.equal([]);
  });

  it("sends others' power signals one at a time while a node is paused", async () => {
    service.panel.respondAbout('mine1/power', hold);
    const late = power('mine1', service.key);
    await eventually(async () => {
      const refused = await call('/calm1/files', service.otherUser);
      expect(refused.body.error?.message).to.match(/too busy/);
    });
    const next = createHold();
    service.panel.respondAbout('calm1/power', next);
    service.panel.respondAbout('theirs1/power', next);
    const both = [power('calm1'), power('theirs1', accomplice)];
    const signals = () => service.panel.inProgress().filter((path) => /(calm1|theirs1)\/power/.test(path));
    await eventually(async () => expect(signals()).to.have.lengthOf(1));
    next.release();
    expect((await Promise.all(both)).map(({ status }) => status)).to.deep.equal([202, 202]);
    hold.release();
    await late;
  });

  it('shows a customer whose servers use both places their last known state, with 200', async () => {
    service.panel.respondAbout('mine', hold);
    const held = [power('mine1', service.key), power('mine2', service.key)];
    await eventually(async () => expect(service.panel.inProgress()).to.have.lengthOf(2));
    service.clock.advance(20_000); // past the cache of its list
    service.panel.forget();
    const answers = await Promise.all([call('', service.key), call('/mine1', service.key)]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(service.panel.requests).to.deep.equal([]);
    hold.release();
    await Promise.all(held);
  });

  it('makes at most two calls to the panel at a time for one customer', async () => {
    let most = 0;
    for (const identifier of ['mine1', 'mine2', 'users/7']) service.panel.respondAbout(identifier, hold);
    service.clock.advance(20_000); // past the cache of its list
    const own = ['mine1', 'mine2'].flatMap((id) => [
      call('', service.key),
      call(`/${id}/schedules`, service.key),
      call(`/${id}/resources`, service.key),
      call(`/${id}/backups`, service.key),
      call(`/${id}/files`, service.key),
      call(`/${id}/console`, service.key),
      power(id, service.key),
      ...['/a.jar', '/b.jar'].map((file) => call(`/${id}/files/fetch`, service.key, { url, file, sha256 })),
    ]);
    const ofOwner = () => service.panel.inProgress().filter((path) => /mine|users\/7\b/.test(path)).length;
    const watch = setInterval(() => {
      most = Math.max(most, ofOwner());
    }, 5);
    await eventually(async () => expect(ofOwner()).to.be.at.least(1));
    for (let round = 0; round < 4; round += 1) expect(await failuresOfOthers()).to.deep.equal([]);
    hold.release();
    await Promise.all(own);
    clearInterval(watch);
    expect(most).to.be.within(1, 2);
  });
});
