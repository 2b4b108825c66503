/** Runs of schedules: what they do on a stopped server, and what happens to backups. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { panelBackup, panelSchedule, panelServer, panelTask } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const path = `/servers/${id}/schedules`;
const notOffered = 'The schedule has a task that this API does not offer: change it in the panel';
const command = { action: 'command', payload: 'list' };
const start = { action: 'power', payload: 'start' };
const kill = { action: 'power', payload: 'kill' };
const other = { action: 'delete_files', payload: '/logs' };

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`running a schedule on ${dialect}`, () => {
    const service = useOwner({ rateLimitPerMinute: 1_000_000, dialect });

    const run = () => service.call('POST', `${path}/1/run`, { key: service.key });
    const read = async () => (await service.call('GET', path, { key: service.key })).body.schedules[0];
    type Changes = Parameters<typeof panelTask>[0];
    function has(tasks: Changes[], overrides: object = {}) {
      const all = tasks.map((task, index) => panelTask({ id: 1 + index, ...task }));
      service.panel.schedules.set(id, [panelSchedule({ tasks: all, ...overrides })]);
    }
    const backups = () => service.panel.backups.get(id) ?? [];

    beforeEach(() => {
      const feature_limits = { databases: 0, allocations: 0, backups: 2 };
      resetPanel(service, [panelServer({ identifier: id, feature_limits })]);
      service.panel.runStates.set(id, 'offline');
    });

    it('refuses one that begins with a command while the server is off (400)', async () => {
      has([command, start]);
      expectError(await run(), 'bad_request', 'The server is not running');
      expect([service.panel.commands, service.panel.signals]).to.deep.equal([[], []]);
      service.panel.runStates.set(id, 'running');
      expect((await run()).status).to.equal(202);
      expect(service.panel.commands).to.deep.equal([`${id} list`]);
    });

    for (const [what, tasks] of [
      ['starts one that begins with another task', [start, { ...command, time_offset: 60 }]],
      [
        'starts one that continues after its command fails',
        [{ ...command, continue_on_failure: true }, start],
      ],
    ] as const)
      it(`${what} while the server is off (202)`, async () => {
        has([...tasks]);
        expect((await run()).status).to.equal(202);
        expect(service.panel.signals).to.deep.equal([`${id} start`]);
      });

    for (const [what, task] of [
      ['a command', command],
      ['a kill', kill],
      ['an unsupported task', other],
    ] as const)
      it(`does nothing but records the time when one with ${what} requires a running server (202)`, async () => {
        has([task], { only_when_online: true });
        const { status, body } = await run();
        expect([status, body]).to.deep.equal([202, { server: id, schedule: 1, status: 'accepted' }]);
        expect([service.panel.commands, service.panel.signals]).to.deep.equal([[], []]);
        const { last_run_at } = await read();
        expect(Date.parse(last_run_at)).to.be.within(service.clock.now() - 2_000, service.clock.now());
      });

    for (const [what, task] of [
      ['a kill', kill],
      ['an unsupported task', other],
      ['an unknown signal', { action: 'power', payload: 'dance' }],
    ] as const)
      it(`refuses one with ${what} while the server runs, is off, or its state is unknown (409)`, async () => {
        has([task]);
        expectError(await run(), 'conflict', notOffered);
        has([task], { only_when_online: true });
        service.panel.runStates.set(id, 'running');
        expectError(await run(), 'conflict', notOffered);
        service.panel.conditions.deadNodes.add(1);
        expectError(await run(), 'conflict', notOffered);
        expect(service.panel.requests.filter(({ path: asked }) => asked.endsWith('/execute'))).to.deep.equal(
          [],
        );
      });

    it('replaces the oldest unlocked backup (202), and refuses when all are locked (400)', async () => {
      const old = [
        panelBackup({ uuid: 'locked', is_locked: true, created_at: '2026-01-01T00:00:00+00:00' }),
        panelBackup({ uuid: 'oldest', created_at: '2026-01-02T00:00:00+00:00' }),
      ];
      service.panel.backups.set(id, old);
      has([{}]);
      expect((await run()).status).to.equal(202);
      expect(backups().map(({ uuid }) => uuid))
        .to.include('locked')
        .and.not.include('oldest');
      expect(backups()).to.have.lengthOf(2);
      service.panel.backups.set(
        id,
        old.map((backup) => ({ ...backup, is_locked: true })),
      );
      const refused = 'The server already has all the backups it is allowed, so the panel refused the run';
      expectError(await run(), 'bad_request', refused);
      expect(Date.parse((await read()).last_run_at)).to.be.at.least(service.clock.now() - 2_000);
    });
  });
