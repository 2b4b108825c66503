/** Schedule writes that fail at each of their panel calls, or whose process died: nothing incomplete runs, and nothing is done twice. */
import { expect } from 'chai';
import { type PanelAnswer, refusal } from '../../server/panel/demo/answers.ts';
import { eventually } from '../support/eventually.ts';
import { panelSchedule, panelServer, panelTask } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import type { Behaviour } from '../support/stand-in-panel.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const path = `/servers/${id}/schedules`;
const tasks = [{ action: 'backup' }, { action: 'command', command: 'list' }];
const nightly = { name: 'Nightly', cron: '30 4 * * *', tasks };
/** The tasks of `nightly` as the panel stores them. */
const backup = panelTask();
const list = panelTask({ id: 2, action: 'command', payload: 'list' });
const proper: Behaviour = { after: Promise.resolve() };
const failed = refusal(500, 'HttpException');
const kinds: [what: string, failure: Behaviour][] = [
  ['fails', failed],
  ['is done without a usable answer', { insteadOfDone: failed }],
  ['breaks the connection', 'reset'],
];

describe('a schedule write', () => {
  const service = useOwner({
    rateLimitPerMinute: 1_000_000,
    panel: { failureThreshold: 1_000, retryDelayMs: 1 },
  });
  let writes = 0;

  const stored = () => service.panel.schedules.get(id) ?? [];
  const call = (method: string, rest = '', body?: object) =>
    service.call(method, path + rest, { key: service.key, ...(body && { body }) });
  /** Lets this many calls of the next write succeed first: the first reads what exists. */
  const failAt = (calls: number, ...failures: Behaviour[]) =>
    service.panel.respondNext(...Array<Behaviour>(calls).fill(proper), ...failures);
  const has = (overrides: Parameters<typeof panelSchedule>[0]) =>
    service.panel.schedules.set(id, structuredClone([panelSchedule(overrides)]));

  beforeEach(async () => {
    const feature_limits = { databases: 0, allocations: 0, backups: 3 };
    resetPanel(service, [panelServer({ identifier: id, feature_limits })]);
    // Fills the cache of the list of servers.
    await call('GET');
    service.panel.forget();
  });

  it('does nothing when it cannot read what exists, and the next write succeeds (502)', async () => {
    failAt(0, failed);
    const { status, body } = await call('POST', '', nightly);
    expect([status, body.error.message]).to.deep.equal([502, 'The panel failed; try again later']);
    expect((await call('POST', '', nightly)).status).to.equal(201);
  });

  for (const [what, failure] of kinds)
    for (const [at, step] of ['creates it', 'adds a task', 'adds another task', 'switches it on'].entries()) {
      it(`leaves nothing of a new schedule when the call that ${step} ${what}, and the next write succeeds (502)`, async () => {
        failAt(at + 1, failure);
        const { status, body } = await call('POST', '', nightly);
        expect([status, body.error.code]).to.deep.equal([502, 'upstream_error']);
        expect(body.error.message).to.match(/; nothing is left of it$/);
        expect(stored()).to.deep.equal([]);
        expect((await call('POST', '', nightly)).status).to.equal(201);
      });

      if (at > 0)
        it(`leaves a new schedule switched off and says so when the call that ${step} ${what} and the deletion fails (502)`, async () => {
          failAt(at + 1, failed as PanelAnswer, failed as PanelAnswer);
          const { status, body } = await call('POST', '', nightly);
          expect(status).to.equal(502);
          expect(body.error.message).to.match(/could not be deleted, and stays switched off$/);
          expect(stored().map(({ is_active }) => is_active)).to.deep.equal([false]);
        });
    }

  it('keeps a schedule of the same name that its owner created in the panel meanwhile (502)', async () => {
    failAt(1, {
      get insteadOfDone() {
        stored().push(panelSchedule({ id: 99, name: 'Nightly' }));
        return failed;
      },
    });
    expect((await call('POST', '', nightly)).status).to.equal(502);
    expect(stored().map((schedule) => schedule.id)).to.deep.equal([99]);
  });

  it('reports a new schedule that is deleted in the panel before it is complete (502)', async () => {
    for (const at of [2, 3, 4]) {
      failAt(at, refusal(404, 'NotFoundHttpException'));
      const { status, body } = await call('POST', '', nightly);
      const message = 'The panel no longer has the schedule; nothing is left of it';
      expect([status, body.error.message]).to.deep.equal([502, message]);
    }
  });

  for (const code of ['NotFoundHttpException', 'RecordNotFoundException'])
    for (const [at, step] of ['switches it off', 'changes a task', 'adds a task', 'switches it on'].entries())
      it(`reports a schedule deleted before the call that ${step} when the panel answers ${code} (404)`, async () => {
        has({ tasks: [panelTask({ time_offset: 9 })] });
        failAt(at + 1, {
          get insteadOfDone() {
            stored().pop();
            return refusal(404, code, '');
          },
        });
        const { status, body } = await call('PUT', '/1', nightly);
        expect([status, body.error.message]).to.deep.equal([404, 'Schedule not found']);
      });

  it('answers 404 to running or deleting a schedule that disappears between two panel reads', async () => {
    for (const [method, rest, at] of [
      ['POST', '/1/run', 1],
      ['DELETE', '/1', 0],
    ] as const) {
      has({});
      failAt(at, refusal(404, 'RecordNotFoundException', ''));
      const { status, body } = await call(method, rest);
      expect([status, body.error.message]).to.deep.equal([404, 'Schedule not found']);
    }
  });

  it('answers 409 and leaves a schedule switched off when its task is deleted in the panel meanwhile', async () => {
    has({ tasks: [panelTask({ time_offset: 9 })] });
    failAt(2, {
      get insteadOfDone() {
        stored()[0]?.tasks.pop();
        return refusal(404, 'NotFoundHttpException');
      },
    });
    const { status, body } = await call('PUT', '/1', nightly);
    const message =
      "The schedule's tasks were changed in the panel meanwhile; the schedule is left switched off";
    expect([status, body.error.message]).to.deep.equal([409, message]);
    expect(stored()[0]?.is_active).to.equal(false);
  });

  it('reports more tasks than the panel accepts (400)', async () => {
    failAt(3, refusal(400, 'ServiceLimitExceededException'));
    const { status, body } = await call('POST', '', nightly);
    const message = 'tasks has more entries than the panel accepts: remove some; nothing is left of it';
    expect([status, body.error.message]).to.deep.equal([400, message]);
    expect(stored()).to.deep.equal([]);
  });

  for (const [at, step] of ['deletes a task', 'changes a task', 'adds a task', 'switches it on'].entries())
    it(`leaves a replaced schedule switched off and says so when the call that ${step} fails (502)`, async () => {
      const gone = panelTask({ id: 3, action: 'command', payload: 'gone' });
      has({ tasks: [panelTask({ time_offset: 9 }), list, gone] });
      // Changes the first task and keeps the second, with a new one before it.
      const wanted = [tasks[0], { action: 'power', signal: 'stop' }, tasks[1]];
      failAt(at + 2, failed as PanelAnswer);
      const { status, body } = await call('PUT', '/1', { ...nightly, tasks: wanted });
      expect(status).to.equal(502);
      expect(body.error.message).to.match(/; the schedule is left switched off$/);
      expect(stored()[0]).to.include({ is_active: false, name: 'Nightly' });
      expect((await call('PUT', '/1', { ...nightly, tasks: wanted })).status).to.equal(200);
      expect(stored()[0]?.is_active).to.equal(true);
    });

  it('leaves a schedule switched off when switching it on got no answer (502)', async () => {
    has({ tasks: [backup, list] });
    failAt(2, { insteadOfDone: failed });
    const { status, body } = await call('PUT', '/1', nightly);
    expect(status).to.equal(502);
    expect(body.error.message).to.match(/; the schedule is left switched off$/);
    expect(stored()[0]?.is_active).to.equal(false);
  });

  it('leaves a schedule unchanged when the first call fails, and says that it may be switched off (502)', async () => {
    has({ tasks: [backup, list] });
    const before = structuredClone(stored());
    failAt(1, failed as PanelAnswer);
    const { status, body } = await call('PUT', '/1', nightly);
    expect(status).to.equal(502);
    expect(body.error.message).to.equal(
      'The panel failed; the schedule may or may not have been written; if it was, it is switched off',
    );
    expect(stored()).to.deep.equal(before);
    expect((await call('PUT', '/1', nightly)).status).to.equal(200);
  });

  it("gives the panel's reason for a suspended server (502)", async () => {
    service.panel.servers.set(7, [panelServer({ identifier: id, suspended: true })]);
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['POST', '', nightly],
      ['POST', '/1/run', undefined],
    ] as const) {
      service.clock.advance(60_000); // Past the cache.
      const answer = await call(method, rest, body);
      expect(answer.status).to.equal(502);
      expect(answer.body.error.message).to.match(/^The server is suspended/);
    }
  });

  it('says that a run without an answer may have started, and the next run starts at once (502)', async () => {
    has({ tasks: [panelTask({ action: 'power', payload: 'restart' })] });
    failAt(1, { insteadOfDone: failed });
    const { body } = await call('POST', '/1/run');
    expect(body.error.message).to.equal('The panel failed; the run may or may not have been started');
    expect((await call('POST', '/1/run')).status).to.equal(202);
    expect(service.panel.signals).to.deep.equal([`${id} restart`, `${id} restart`]);
  });

  it('starts no run on a machine that does not answer (502)', async () => {
    has({ tasks: [list] });
    service.panel.conditions.deadNodes.add(1);
    const { status, body } = await call('POST', '/1/run');
    expect([status, body.error.message]).to.deep.equal([
      502,
      'The machine that hosts the server did not carry out the request; try again later',
    ]);
  });

  /** Sends it, loses its outcome, and sends it again. */
  async function sendTwice(method: string, rest: string, { body = {}, meanwhile = () => {} } = {}) {
    writes += 1;
    const headers = { 'Idempotency-Key': `write-${writes}` };
    const send = () => service.call(method, path + rest, { key: service.key, headers, body });
    const first = await send();
    await service.connection
      .collection('idempotency_records')
      .updateMany({}, { $set: { answer: null, leaseEndsAt: new Date(0) } });
    meanwhile();
    service.panel.forget();
    return [first, await send()] as const;
  }
  const sent = () => service.panel.requests.filter(({ method }) => method !== 'GET').length;

  it('returns the existing schedule when its process died afterwards (201)', async () => {
    const [first, second] = await sendTwice('POST', '', { body: nightly });
    expect([second.status, second.body]).to.deep.equal([201, first.body]);
    expect([sent(), stored().length]).to.deep.equal([0, 1]);
  });

  it('completes a half-created schedule when its process died meanwhile (201)', async () => {
    const [first, second] = await sendTwice('POST', '', {
      body: nightly,
      meanwhile: () =>
        Object.assign(stored()[0] ?? {}, { is_active: false, tasks: stored()[0]?.tasks.slice(0, 1) }),
    });
    expect([second.status, second.body]).to.deep.equal([201, first.body]);
    expect([sent(), stored().length, stored()[0]?.tasks.length]).to.deep.equal([3, 1, 2]);
  });

  it('returns the existing schedule even when the panel fails on the second try (201)', async () => {
    const [first, second] = await sendTwice('POST', '', {
      body: nightly,
      meanwhile: () => failAt(0, failed as PanelAnswer),
    });
    expect([second.status, second.body.error.message]).to.deep.equal([
      502,
      'The panel failed; try again later',
    ]);
    const headers = { 'Idempotency-Key': `write-${writes}` };
    const third = await service.call('POST', path, { key: service.key, headers, body: nightly });
    expect([third.status, third.body]).to.deep.equal([201, first.body]);
    expect([sent(), stored().length]).to.deep.equal([0, 1]);
  });

  it('creates another schedule when the existing one was not created at that time (201)', async () => {
    const created_at = new Date(service.clock.now() - 3_600_000).toISOString();
    const [, second] = await sendTwice('POST', '', {
      body: nightly,
      meanwhile: () => Object.assign(stored()[0] ?? {}, { created_at }),
    });
    expect([second.status, stored().length]).to.deep.equal([201, 2]);
  });

  it('creates no task twice when its process died after creating it (200)', async () => {
    has({ tasks: [] });
    const [first, second] = await sendTwice('PUT', '/1', { body: nightly });
    expect([second.status, second.body]).to.deep.equal([200, first.body]);
    expect(sent()).to.equal(2);
  });

  it('succeeds when the schedule is already deleted (200)', async () => {
    has({});
    const [first, second] = await sendTwice('DELETE', '/1');
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    expect((await call('DELETE', '/1')).status).to.equal(404);
  });

  it('is accepted when the schedule is already running or has run (202)', async () => {
    for (const last_run_at of [null, new Date(service.clock.now()).toISOString()]) {
      has({ tasks: [list] });
      const run = { last_run_at, is_processing: last_run_at === null };
      const [, second] = await sendTwice('POST', '/1/run', {
        meanwhile: () => Object.assign(stored()[0] ?? {}, run),
      });
      expect([second.status, sent()]).to.deep.equal([202, 0]);
    }
  });
});

describe('a slow schedule write', () => {
  const service = useOwner({ panel: { scheduleWaitMs: 2_000 } });

  it('is answered in time and leaves nothing incomplete (502)', async () => {
    resetPanel(service, [panelServer({ identifier: id })]);
    await service.call('GET', path, { key: service.key });
    let release = () => {};
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.panel.respondNext(proper, proper, { after });
    const { status, body } = await service.call('POST', path, { key: service.key, body: nightly });
    expect(status).to.equal(502);
    expect(body.error.message).to.equal(
      'The panel did not answer in time; the schedule may or may not have been written',
    );
    expect(service.panel.schedules.get(id)?.map(({ is_active }) => is_active)).to.deep.equal([false]);
    release();
    await eventually(async () => expect(service.panel.schedules.get(id)).to.deep.equal([]));
  });
});

describe('schedules on a failing panel', () => {
  const waits = { liveWaitMs: 100, writeWaitMs: 300, clientTimeoutMs: 600, slowMs: 50 };
  const service = useOwner({ panel: { ...waits, failureThreshold: 1_000 } });
  const call = (method: string, rest = '') => service.call(method, path + rest, { key: service.key });

  beforeEach(async () => {
    resetPanel(service, [panelServer({ identifier: id })]);
    service.panel.schedules.set(id, [panelSchedule()]);
    await service.call('GET', '/servers', { key: service.key });
  });
  afterEach(() => service.panel.closeAll());

  it("answer 502 without blaming the server's machine when the panel is silent or was late before", async () => {
    service.panel.respondNext('hang', 'hang');
    const messages: string[] = [];
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', '/1'],
    ] as const)
      messages.push((await call(method, rest)).body.error.message);
    expect(messages).to.deep.equal([
      'The panel did not answer in time; try again later',
      'The panel did not answer in time; the deletion may or may not have been carried out',
    ]);
    await eventually(async () =>
      expect((await call('GET')).body.error.message).to.equal('The panel is busy; try again later'),
    );
  });

  it("answer 502 without blaming the server's machine when the panel briefly lost its cache", async () => {
    service.panel.respondNext(refusal(500, 'ConnectionException'));
    expect((await call('GET')).body.error.message).to.equal('The panel failed; try again later');
  });
});
