/** Schedules of servers on both kinds of panel: what is shown, which calls a write makes, and what is refused. */
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { panelSchedule, panelServer, panelTask } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const path = `/servers/${id}/schedules`;
const nightly = {
  name: 'Nightly',
  cron: '30 4 * * *',
  tasks: [{ action: 'backup' }, { action: 'power', signal: 'restart', delay_seconds: 300 }],
};
const nothing = { signal: null, command: null, ignored_files: null };
const plain = { ...nothing, delay_seconds: 0, continue_on_failure: false };
const say = (command: string) => ({ action: 'command', command });
/** The same task as the panel stores it. */
const said = (payload: string, place: number) => panelTask({ id: place + 100, action: 'command', payload });

describe('schedules', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000 });

  const call = (method: string, rest = '', body?: object) =>
    service.call(method, path + rest, { key: service.key, ...(body && { body }) });
  const put = (body: object, rest = '/1') => call('PUT', rest, { ...nightly, ...body });
  /** Calls that write at the panel, without the server's part of the path. */
  const writes = () =>
    service.panel.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path: asked }) => `${method} ${asked.replace(/.*\/schedules/, '')}`);
  const stored = () => service.panel.schedules.get(id) ?? [];
  const tasksStored = () => (stored()[0]?.tasks ?? []).map((task) => `${task.id} ${task.payload}`);
  function has(tasks: ReturnType<typeof panelTask>[], overrides: object = {}) {
    service.panel.schedules.set(id, [panelSchedule({ ...overrides, tasks })]);
  }
  function setBackups(backups: number) {
    const feature_limits = { databases: 0, allocations: 0, backups };
    resetPanel(service, [panelServer({ identifier: id, feature_limits })]);
  }

  beforeEach(() => setBackups(3));

  it('are listed by id with their tasks in order, times in UTC, and null for fields of other actions (200)', async () => {
    const times = { last_run_at: '2026-04-30T06:30:00+02:00', created_at: '2026-04-01T00:00:00+00:00' };
    service.panel.schedules.set(id, [
      panelSchedule({ id: 9, name: 'Other', tasks: [] }),
      panelSchedule({
        ...times,
        tasks: [
          panelTask({ id: 4, payload: '*.log\ncache/', continue_on_failure: true }),
          panelTask({ id: 5, action: 'power', payload: 'kill', time_offset: 60 }),
          panelTask({ id: 3, action: 'delete_files', payload: '/logs' }),
          panelTask({ id: 6, action: 'command', payload: 'say \u202ehi' }),
        ],
      }),
    ]);
    const { status, body } = await call('GET');
    expect(status).to.equal(200);
    expect(body.schedules.map((schedule: { id: number }) => schedule.id)).to.deep.equal([1, 9]);
    const { next_run_at, ...first } = body.schedules[0];
    expect(next_run_at).to.match(/T04:30:00\.000Z$/);
    expect(first).to.deep.equal({
      ...{ id: 1, name: 'Nightly backup', cron: '30 4 * * *', only_when_online: false, is_active: true },
      ...{ is_processing: false, last_run_at: '2026-04-30T04:30:00.000Z' },
      tasks: [
        { ...plain, action: 'backup', ignored_files: '*.log\ncache/', continue_on_failure: true },
        { ...plain, action: 'power', signal: 'kill', delay_seconds: 60 },
        { ...plain, action: 'other' },
        { ...plain, action: 'command', command: 'say hi' },
      ],
    });
  });

  it('are cached for seconds unless the list is long (200)', async () => {
    const panelReads: number[] = [];
    for (const length of [1_000, 66_000]) {
      has([said('a'.repeat(length), 1)]);
      service.clock.advance(60_000);
      service.panel.forget();
      for (let count = 0; count < 2; count += 1) expect((await call('GET')).status).to.equal(200);
      panelReads.push(service.panel.requests.filter((one) => one.path.endsWith('/schedules')).length);
    }
    expect(panelReads).to.deep.equal([1, 2]);
  });

  const tooMany =
    'The server has more schedules in the panel than this API reads (100, and 256 KiB in all): delete some in the panel';
  const manySchedules = Array.from({ length: 101 }, (_, index) => panelSchedule({ id: index + 1 }));

  for (const [what, schedules] of [
    ['101 schedules', manySchedules],
    ['256 KiB', [panelSchedule({ tasks: [said('a'.repeat(256 * 1024), 1)] })]],
  ] as const)
    it(`report the limit when the list has ${what} (502)`, async () => {
      service.panel.schedules.set(id, [...schedules]);
      expectError(await call('GET'), 'upstream_error', tooMany);
      expectError(await call('POST', '', nightly), 'upstream_error', tooMany);
      expect(writes()).to.deep.equal([]);
    });

  it('are received only up to the size that can be shown (502)', async () => {
    let sent = 0;
    const endless = Readable.from(
      (function* () {
        for (; sent < 64 * 1024 * 1024; sent += 65_536) yield Buffer.alloc(65_536, ' ');
      })(),
    );
    await call('GET');
    service.clock.advance(60_000);
    service.panel.respondNext({ after: Promise.resolve() }, { body: endless });
    expectError(await call('GET'), 'upstream_error', tooMany);
    expect(sent).to.be.below(32 * 1024 * 1024);
  });

  it('are replaced, run and deleted even when there are more than a hundred (200)', async () => {
    service.panel.schedules.set(id, structuredClone(manySchedules));
    const put = { ...nightly, is_active: false, tasks: [{ action: 'backup' }] };
    const done = [
      await call('PUT', '/101', put),
      await call('POST', '/101/run'),
      await call('DELETE', '/101'),
    ];
    expect(done.map(({ status }) => status)).to.deep.equal([200, 202, 200]);
    expect(stored()).to.have.lengthOf(100);
  });

  it('are created switched off, get their tasks, and are switched on last (201)', async () => {
    const { status, body } = await call('POST', '', nightly);
    expect(status).to.equal(201);
    expect(body.schedule).to.deep.include({ id: 1, name: 'Nightly', is_active: true });
    expect(body.schedule.tasks).to.deep.equal([
      { ...plain, action: 'backup', ignored_files: '' },
      { ...plain, action: 'power', signal: 'restart', delay_seconds: 300 },
    ]);
    expect(writes()).to.deep.equal(['POST ', 'POST /1/tasks', 'POST /1/tasks', 'POST /1']);
    const sent = service.panel.requests
      .filter(({ method }) => method === 'POST')
      .map((one) => JSON.parse(one.body));
    expect(sent.map(({ is_active }) => is_active)).to.deep.equal([false, undefined, undefined, true]);
    expect(sent[0]).to.include({
      minute: '30',
      hour: '4',
      day_of_month: '*',
      month: '*',
      day_of_week: '*',
    });
    expect((await call('GET')).body.schedules).to.deep.equal([body.schedule]);
  });

  it('are never switched on when created as inactive (201)', async () => {
    const { body } = await call('POST', '', { ...nightly, is_active: false });
    expect(body.schedule.is_active).to.equal(false);
    expect(writes()).to.deep.equal(['POST ', 'POST /1/tasks', 'POST /1/tasks']);
  });

  it('trim texts, treat null as omitted, and accept ten tasks and 191 characters (201)', async () => {
    const name = 'n'.repeat(191);
    const task = { action: 'command', command: ' say hi ', ...{ signal: null, ignored_files: null } };
    const { status, body } = await call('POST', '', {
      ...{ name: ` ${name} `, cron: ' 0 6 * * MON-FRI ', only_when_online: null, is_active: null },
      tasks: Array(10).fill({ ...task, delay_seconds: null, continue_on_failure: null }),
    });
    expect(status).to.equal(201);
    expect(body.schedule).to.deep.include({ name, cron: '0 6 * * MON-FRI', only_when_online: false });
    expect(body.schedule.tasks).to.deep.equal(
      Array(10).fill({ ...plain, action: 'command', command: 'say hi' }),
    );
  });

  for (const [field, cron] of [
    ['a sixth field', '0 0 6 * * *'],
    ['four fields', '0 6 * *'],
    ['a word', '@daily'],
    ['another character', '0 6 * * $'],
    ['two spaces', '0  6 * * *'],
    ['192 characters', `${'1'.repeat(192)} 6 * * *`],
  ])
    it(`reject a cron expression with ${field} before any panel call (400)`, async () => {
      const { status, body } = await call('POST', '', { ...nightly, cron });
      expect([status, body.error.code]).to.deep.equal([400, 'bad_request']);
      expect(body.error.message).to.match(/^cron must be five fields/);
      expect(writes()).to.deep.equal([]);
    });

  it('stay unchanged when the panel refuses a cron expression (400)', async () => {
    has([said('a', 1)]);
    const before = structuredClone(stored());
    const refused = [
      await call('POST', '', { ...nightly, cron: '61 6 * * *' }),
      await put({ cron: '61 6 * * *' }),
    ];
    for (const answer of refused)
      expectError(answer, 'bad_request', 'cron must be an expression that the panel accepts');
    expect(stored()).to.deep.equal(before);
  });

  const wrong: [what: string, body: object, message: RegExp][] = [
    ['an empty list of tasks', { tasks: [] }, /^tasks must not be empty/],
    ['eleven tasks', { tasks: Array(11).fill({ action: 'backup' }) }, /^tasks must be at most 10/],
    ['an unknown action', { tasks: [{ action: 'dance' }] }, /^tasks.0.action must be one of/],
    ['a power task without a signal', { tasks: [{ action: 'power' }] }, /^tasks.0.signal is required/],
    ['an empty command', { tasks: [say(' ')] }, /^tasks.0.command must not be empty/],
    ['a command of two lines', { tasks: [say('a\nb')] }, /^tasks.0.command must be a single line/],
    [
      'a command of 501 characters',
      { tasks: [say('a'.repeat(501))] },
      /^tasks.0.command must be at most 500/,
    ],
    [
      'a delay of 901 seconds',
      { tasks: [{ action: 'backup', delay_seconds: 901 }] },
      /^tasks.0.delay_seconds/,
    ],
    ['a field of another action', { tasks: [{ ...say('a'), signal: 'stop' }] }, /^tasks.0.signal is not/],
    [
      'an unknown field of a task',
      { tasks: [{ ...say('a'), payload: 'a' }] },
      /^tasks.0.payload is not a known/,
    ],
    ['an unknown field', { surprise: 1 }, /^surprise is not a known field/],
    ['a name of 192 characters', { name: 'n'.repeat(192) }, /^name must be at most 191/],
  ];
  for (const [what, body, message] of wrong)
    it(`reject ${what} (400)`, async () => {
      has([said('a', 1)]);
      for (const answer of [await call('POST', '', { ...nightly, ...body }), await put(body)]) {
        expect(answer.status).to.equal(400);
        expect(answer.body.error.message).to.match(message);
      }
      expect(writes()).to.deep.equal([]);
    });

  for (const [what, task, message] of [
    ['a kill', { action: 'power', signal: 'kill' }, /^tasks.0.signal .*kill is not permitted/],
    ['an unsupported task', { action: 'other' }, /^tasks.0.action must be one of/],
  ] as const)
    it(`reject a new one with ${what} (400)`, async () => {
      const { status, body } = await call('POST', '', { ...nightly, tasks: [task] });
      expect(status).to.equal(400);
      expect(body.error.message).to.match(message);
      expect(writes()).to.deep.equal([]);
    });

  it('reject a backup for a server that is not allowed any, as its list or the panel reports (400)', async () => {
    has([said('a', 1)]);
    const backup = { tasks: [{ action: 'backup' }] };
    await call('GET');
    Object.assign(service.panel.servers.get(7)?.[0]?.feature_limits ?? {}, { backups: 0 });
    const late = await call('POST', '', { ...nightly, ...backup });
    expectError(late, 'bad_request', 'This server is not allowed any backups; nothing is left of it');
    expect(stored()).to.have.lengthOf(1);
    service.clock.advance(60_000);
    service.panel.forget();
    for (const answer of [await call('POST', '', { ...nightly, ...backup }), await put(backup)])
      expectError(answer, 'bad_request', 'This server is not allowed any backups');
    expect(writes()).to.deep.equal([]);
  });

  it('are limited to 25 for a server (400)', async () => {
    service.panel.schedules.set(
      id,
      Array.from({ length: 25 }, (_, index) => panelSchedule({ id: index + 1 })),
    );
    const { status, body } = await call('POST', '', nightly);
    expect([status, body.error.message]).to.deep.equal([
      400,
      'The server has 25 schedules, the maximum: delete one first',
    ]);
    expect(writes()).to.deep.equal([]);
  });

  /** Tasks a, b, c have ids 101, 102, 103: what the panel has afterwards, and the calls between the first and the last. */
  const differences: [wanted: string, calls: string[], after: string[]][] = [
    ['a b c', [], ['101 a', '102 b', '103 c']],
    ['a c', ['DELETE /1/tasks/102'], ['101 a', '103 c']],
    ['a x b c', ['POST /1/tasks'], ['101 a', '104 x', '102 b', '103 c']],
    ['x a b c y', ['POST /1/tasks', 'POST /1/tasks'], ['104 x', '101 a', '102 b', '103 c', '105 y']],
    ['a x c', ['POST /1/tasks/102'], ['101 a', '102 x', '103 c']],
    ['b c a', ['DELETE /1/tasks/101', 'POST /1/tasks'], ['102 b', '103 c', '104 a']],
    ['x', ['DELETE /1/tasks/102', 'DELETE /1/tasks/103', 'POST /1/tasks/101'], ['101 x']],
    [
      'x y c z',
      ['POST /1/tasks/101', 'POST /1/tasks/102', 'POST /1/tasks'],
      ['101 x', '102 y', '103 c', '104 z'],
    ],
    [
      'c x y',
      ['DELETE /1/tasks/101', 'DELETE /1/tasks/102', 'POST /1/tasks', 'POST /1/tasks'],
      ['103 c', '104 x', '105 y'],
    ],
  ];
  for (const [wanted, calls, after] of differences)
    it(`change tasks from a b c to ${wanted} with only the calls for the difference (200)`, async () => {
      has(['a', 'b', 'c'].map((text, index) => said(text, index + 1)));
      const { status, body } = await put({ tasks: wanted.split(' ').map(say) });
      expect(status).to.equal(200);
      expect(writes()).to.deep.equal(['POST /1', ...calls, 'POST /1']);
      expect(tasksStored()).to.deep.equal(after);
      expect(stored()[0]).to.include({ name: 'Nightly', is_active: true });
      expect((await call('GET')).body.schedules).to.deep.equal([body.schedule]);
    });

  it('never exceed ten tasks while all ten are replaced (200)', async () => {
    has(Array.from({ length: 10 }, (_, index) => said(`${index}`, index + 1)));
    const tasks = Array.from({ length: 10 }, (_, index) => say(`${(index + 5) % 10}`));
    expect((await put({ tasks })).status).to.equal(200);
    expect(tasksStored().map((text) => text.split(' ')[1])).to.deep.equal([...'5678901234']);
  });

  it('can be sent back as read, or created again (200)', async () => {
    has([panelTask({ payload: '*.log' }), said('a', 2)], { is_active: false, only_when_online: true });
    const { body } = await call('GET');
    const [read] = body.schedules;
    const sent = await call('PUT', '/1', read);
    expect([sent.status, sent.body.schedule]).to.deep.equal([200, read]);
    expect(writes()).to.deep.equal(['POST /1']);
    await call('DELETE', '/1');
    const again = await call('POST', '', read);
    expect([again.status, again.body.schedule]).to.deep.equal([201, { ...read, id: again.body.schedule.id }]);
  });

  it("answer 404 for a missing schedule and for another user's server", async () => {
    has([said('a', 1)]);
    for (const [method, rest, body] of [
      ['PUT', '/2', nightly],
      ['DELETE', '/2', undefined],
      ['POST', '/2/run', undefined],
    ] as const) {
      expectError(await call(method, rest, body), 'not_found', 'Schedule not found');
      const foreign = await service.call(method, path + rest.replace('2', '1'), {
        key: service.otherUser,
        ...(body && { body }),
      });
      expectError(foreign, 'not_found', 'Server not found; take its identifier from the list of servers');
    }
  });

  it('cannot be run (409), but can be deleted (200), with a kill or an unsupported task', async () => {
    const message = 'The schedule has a task that this API does not offer: change it in the panel';
    for (const task of [
      { action: 'delete_files', payload: '/logs' },
      { action: 'power', payload: 'kill' },
    ]) {
      has([panelTask(task)]);
      expectError(await call('POST', '/1/run'), 'conflict', message);
      const gone = await call('DELETE', '/1');
      expect([gone.status, gone.body]).to.deep.equal([200, { deleted: true }]);
      expect((await call('GET')).body.schedules).to.deep.equal([]);
    }
  });

  it('run at once, even when switched off (202), but not without tasks (400)', async () => {
    has([said('list', 1), panelTask({ id: 2, action: 'power', payload: 'stop' })], {
      is_active: false,
    });
    const { status, body } = await call('POST', '/1/run');
    expect([status, body]).to.deep.equal([202, { server: id, schedule: 1, status: 'accepted' }]);
    expect([service.panel.commands, service.panel.signals]).to.deep.equal([[`${id} list`], [`${id} stop`]]);
    has([]);
    expectError(await call('POST', '/1/run'), 'bad_request', 'The schedule has no tasks');
  });

  it("pass on the panel's rate limit with its Retry-After (429)", async () => {
    service.panel.conditions.serverLimits.add('schedules');
    for (let count = 0; count < 2; count += 1) expect((await call('POST', '', nightly)).status).to.equal(201);
    for (const answer of [await call('POST', '', nightly), await call('POST', '', nightly)]) {
      expectError(answer, 'rate_limited', 'The panel limits how often this may be done; try again later');
      expect(Number(answer.headers.get('Retry-After'))).to.be.within(1, 60);
    }
    expect(stored()).to.have.lengthOf(2);
    expect((await put({ name: 'Other' })).status).to.equal(200);
  });
});
