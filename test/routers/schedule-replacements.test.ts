/** Replacing a schedule accepts back what it already holds, so that every schedule can be switched off, on and renamed. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { panelSchedule, panelServer, panelTask } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const path = `/servers/${id}/schedules`;
const notOffered = 'The schedule has a task that this API does not offer: change it in the panel';
const kill = { action: 'power', payload: 'kill' };
const other = { action: 'delete_files', payload: '/logs' };
const say = (payload: string) => ({ action: 'command', payload });

describe('replacing a schedule', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000 });

  const call = (method: string, rest = '', body?: object) =>
    service.call(method, path + rest, { key: service.key, ...(body && { body }) });
  const stored = () => service.panel.schedules.get(id)?.[0] ?? panelSchedule();
  const tasksStored = () => stored().tasks.map(({ id, payload }) => `${id} ${payload.slice(0, 9)}`);
  const writes = () =>
    service.panel.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path: asked }) => `${method} ${asked.replace(/.*\/schedules/, '')}`);
  type Changes = Parameters<typeof panelTask>[0];
  /** Stores one schedule with these tasks, whose ids are 101, 102 and so on. */
  function has(tasks: Changes[], overrides: object = {}) {
    const all = tasks.map((task, index) => panelTask({ id: 101 + index, ...task }));
    service.panel.schedules.set(id, [panelSchedule({ tasks: all, ...overrides })]);
  }
  const read = async () => (await call('GET')).body.schedules[0];

  beforeEach(() => {
    const feature_limits = { databases: 0, allocations: 0, backups: 3 };
    resetPanel(service, [panelServer({ identifier: id, feature_limits })]);
  });

  const cron = { minute: '0', hour: '4', day_of_month: '*', month: '*', day_of_week: '*' };
  const peculiar: [what: string, tasks: Changes[], overrides?: object][] = [
    ['no tasks', []],
    ['a kill', [kill]],
    ['an unsupported task', [other, say('a')]],
    ['two unsupported tasks', [other, { ...other, payload: '/old' }]],
    ['an unknown signal', [{ action: 'power', payload: 'dance' }]],
    ['a command of 2,000 characters', [say('x'.repeat(2_000))]],
    ['an empty command', [say('')]],
    ['a command with surrounding spaces', [say(' list ')]],
    ['a command with invisible characters', [say('say \u202ehi')]],
    ['a long list of excluded files', [{ payload: 'x'.repeat(20_000) }]],
    ['twelve tasks', Array.from({ length: 12 }, (_, index) => say(`${index}`))],
    ['a delay of an hour', [{ ...say('a'), time_offset: 3_600 }]],
    ['an invisible name', [say('a')], { name: '\u202e' }],
  ];
  for (const [what, tasks, overrides] of peculiar)
    it(`switches one with ${what} off and on without writing its tasks (200)`, async () => {
      has(tasks, overrides);
      const before = structuredClone(stored().tasks);
      for (const is_active of [false, true]) {
        const schedule = await read();
        const { status, body } = await call('PUT', '/1', { ...schedule, is_active });
        expect([status, body.schedule]).to.deep.equal([
          200,
          { ...schedule, is_active, next_run_at: body.schedule?.next_run_at },
        ]);
        expect(stored().is_active).to.equal(is_active);
        service.clock.advance(60_000);
      }
      expect(stored().tasks).to.deep.equal(before);
      expect(writes()).to.deep.equal(['POST /1', 'POST /1', 'POST /1']);
    });

  it("keeps the panel's name and times when they are sent back as shown (200)", async () => {
    has([say('a')], { name: 'Ni\u202eghtly' });
    const schedule = await read();
    expect(schedule.name).to.equal('Nightly');
    expect((await call('PUT', '/1', { ...schedule, is_active: false })).status).to.equal(200);
    expect(stored().name).to.equal('Ni\u202eghtly');
  });

  it('ignores the fields that only the panel sets, even if their text is not a time (200)', async () => {
    has([say('a')]);
    const schedule = await read();
    const sent = { ...schedule, last_run_at: 'never', next_run_at: '' };
    const { status, body } = await call('PUT', '/1', sent);
    expect([status, body.schedule]).to.deep.equal([200, schedule]);
  });

  it('changes name, time and other tasks next to a kill and an unsupported task (200)', async () => {
    has([kill, say('a'), other]);
    const { tasks, ...schedule } = await read();
    const [first, second, third] = tasks;
    const { status } = await call('PUT', '/1', {
      ...{ ...schedule, name: 'Other', cron: '0 6 * * *' },
      tasks: [first, { ...second, command: 'b' }, third, { action: 'command', command: 'c' }],
    });
    expect(status).to.equal(200);
    expect(writes()).to.deep.equal(['POST /1', 'POST /1/tasks/102', 'POST /1/tasks', 'POST /1']);
    expect(tasksStored()).to.deep.equal(['101 kill', '102 b', '103 /logs', '104 c']);
    expect(stored()).to.deep.include({ name: 'Other', cron: { ...cron, hour: '6' } });
  });

  for (const [what, task] of [
    ['a kill', kill],
    ['an unsupported task', other],
  ] as const) {
    it(`deletes ${what} that the request leaves out (200)`, async () => {
      has([say('a'), task]);
      const { tasks, ...schedule } = await read();
      expect((await call('PUT', '/1', { ...schedule, tasks: tasks.slice(0, 1) })).status).to.equal(200);
      expect(tasksStored()).to.deep.equal(['101 a']);
    });

    for (const [how, change] of [
      ['is moved', ([first, second]: object[]) => [second, first]],
      ['is new', ([first, second]: object[]) => [first, second, first]],
      ['has another delay', ([first, second]: object[]) => [{ ...first, delay_seconds: 7 }, second]],
      [
        'continues after a failure',
        ([first, second]: object[]) => [{ ...first, continue_on_failure: true }, second],
      ],
    ] as const)
      it(`refuses ${what} that ${how}, and changes nothing (409)`, async () => {
        has([task, say('a')]);
        const before = structuredClone(stored());
        const { tasks, ...schedule } = await read();
        const sent = await call('PUT', '/1', { ...schedule, name: 'Other', tasks: change(tasks) });
        expectError(sent, 'conflict', notOffered);
        expect(stored()).to.deep.equal(before);
        expect(writes()).to.deep.equal([]);
      });
  }

  const long = 'x'.repeat(501);
  const rejected: [what: string, tasks: Changes[], change: (tasks: object[]) => object, message: RegExp][] = [
    [
      'a moved task with a long command',
      [say(long), say('a')],
      ([first, second]) => ({ tasks: [second, first] }),
      /^tasks.1.command must be at most 500/,
    ],
    [
      'a moved task with an unknown signal',
      [{ action: 'power', payload: 'dance' }, say('a')],
      ([first, second]) => ({ tasks: [second, first] }),
      /^tasks.1.signal must be/,
    ],
    [
      'an eleventh task',
      Array.from({ length: 10 }, () => say('a')),
      (tasks) => ({ tasks: [...tasks, { action: 'backup' }] }),
      /^tasks must be at most 10/,
    ],
    [
      'a thirteenth task',
      Array.from({ length: 12 }, () => say('a')),
      (tasks) => ({ tasks: [...tasks, { action: 'backup' }] }),
      /^tasks must be at most 12/,
    ],
    ['the removal of all tasks', [say('a')], () => ({ tasks: [] }), /^tasks must not be empty/],
    [
      'another name of 192 characters',
      [say('a')],
      () => ({ name: 'm'.repeat(192) }),
      /^name must be at most 191/,
    ],
    [
      'another, invalid cron expression',
      [say('a')],
      () => ({ cron: '0 6 * * $' }),
      /^cron must be five fields/,
    ],
  ];
  for (const [what, tasks, change, message] of rejected)
    it(`rejects ${what} (400)`, async () => {
      has(tasks);
      const schedule = await read();
      const { status, body } = await call('PUT', '/1', { ...schedule, ...change(schedule.tasks) });
      expect(status).to.equal(400);
      expect(body.error.message).to.match(message);
      expect(writes()).to.deep.equal([]);
    });

  it('switches off one with a backup task when the server is no longer allowed any backups (200)', async () => {
    has([{}]);
    const schedule = await read();
    const feature_limits = { databases: 0, allocations: 0, backups: 0 };
    service.panel.servers.set(7, [panelServer({ identifier: id, feature_limits })]);
    service.clock.advance(60_000);
    expect((await call('PUT', '/1', { ...schedule, is_active: false })).status).to.equal(200);
    const more = { ...schedule, tasks: [...schedule.tasks, { action: 'backup', delay_seconds: 9 }] };
    expectError(await call('PUT', '/1', more), 'bad_request', 'This server is not allowed any backups');
  });
});
