/** A schedule gives a key no more rights than direct calls, and counts against its owner's share of the panel. */
import { expect } from 'chai';
import type { Scope } from '../../routers/scopes.ts';
import { expectError } from '../support/expect-error.ts';
import { createSendMessage, toolCall } from '../support/mcp.ts';
import { panelSchedule, panelServer, panelTask } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useService } from '../support/service.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const path = `/servers/${id}/schedules`;
const samples = {
  power: { action: 'power', signal: 'restart' },
  command: { action: 'command', command: 'list' },
  backup: { action: 'backup' },
};
type Action = keyof typeof samples;
const scopesOf: Record<Action, Scope[]> = {
  power: ['write:servers'],
  command: ['write:console'],
  // The panel deletes the oldest unlocked backup when the server has its maximum.
  backup: ['write:backups', 'manage:backups'],
};
const scopesOfAll = (actions: readonly Action[]) => actions.flatMap((action) => scopesOf[action]);
const actions = Object.keys(samples) as Action[]; // Object.keys loses the key types.
const payloads = { power: 'restart', command: 'list', backup: '' };
const scheduleOf = (...wanted: Action[]) => ({
  ...{ name: 'Nightly', cron: '30 4 * * *' },
  tasks: wanted.map((action) => samples[action]),
});
const lacks = (...missing: Scope[]) =>
  `This key lacks the scope ${missing.join(' and ')}: create a key with it at /account#keys`;

describe('using schedules with a key', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let user: Awaited<ReturnType<typeof service.addUser>>;

  before(async () => {
    user = await service.addUser({ panelUserId: 7 });
  });
  beforeEach(() => resetPanel(service, [panelServer({ identifier: id })]));

  const keyOf = async (...scopes: Scope[]) => (await service.addKey({ user, scopes })).secret;
  const written = () => service.panel.requests.filter(({ method }) => method !== 'GET');
  function has(...there: Action[]) {
    const tasks = there.map((action, index) =>
      panelTask({ id: index + 1, action, payload: payloads[action] }),
    );
    service.panel.schedules.set(id, [panelSchedule({ tasks })]);
  }

  for (const action of actions)
    it(`needs ${scopesOf[action].join(' and ')} for a new, existing or run ${action} task, and no other scope (403)`, async () => {
      const others = actions.filter((name) => name !== action);
      const without = await keyOf('manage:schedules', ...scopesOfAll(others));
      const [other] = others;
      has(action);
      for (const [method, rest, body] of [
        ['POST', '', scheduleOf(action)],
        ['PUT', '/1', scheduleOf(other ?? action)],
        ['POST', '/1/run', undefined],
      ] as const) {
        const answer = await service.call(method, path + rest, { key: without, body });
        expectError(answer, 'insufficient_scope', lacks(...scopesOf[action]));
      }
      has(other ?? action);
      const put = await service.call('PUT', `${path}/1`, { key: without, body: scheduleOf(action) });
      expectError(put, 'insufficient_scope', lacks(...scopesOf[action]));
      expect(written()).to.deep.equal([]);
      has(action);
      const key = await keyOf('manage:schedules', ...scopesOf[action]);
      const done = [
        await service.call('POST', path, { key, body: scheduleOf(action) }),
        await service.call('PUT', `${path}/1`, { key, body: scheduleOf(action) }),
        await service.call('POST', `${path}/1/run`, { key }),
      ];
      expect(done.map(({ status }) => status)).to.deep.equal([201, 200, 202]);
    });

  it('names all missing scopes, over MCP too (403)', async () => {
    const key = await keyOf('manage:schedules', 'write:backups');
    const args = { server_identifier: id, ...scheduleOf(...actions) };
    const { body } = await createSendMessage(service.url)(toolCall('create_server_schedule', args), { key });
    expect(JSON.parse(body.result.content[0].text).error).to.deep.equal({
      code: 'insufficient_scope',
      message: lacks('write:servers', 'write:console', 'manage:backups'),
    });
  });

  for (const [held, missing] of [
    ['write:backups', 'manage:backups'],
    ['manage:backups', 'write:backups'],
  ] as const)
    it(`does not replace an old backup with ${held} alone (403)`, async () => {
      has('backup');
      const key = await keyOf('manage:schedules', held);
      for (const [method, rest, body] of [
        ['POST', '', scheduleOf('backup')],
        ['PUT', '/1', scheduleOf('backup')],
        ['POST', '/1/run', undefined],
      ] as const) {
        const answer = await service.call(method, path + rest, { key, body });
        expectError(answer, 'insufficient_scope', lacks(missing));
      }
      expect(written()).to.deep.equal([]);
    });

  it('needs no scopes of its tasks to delete a schedule (200)', async () => {
    has(...actions);
    const key = await keyOf('manage:schedules');
    expect((await service.call('DELETE', `${path}/1`, { key })).status).to.equal(200);
  });

  it('reaches no schedule when the key is restricted to other servers (404)', async () => {
    has('backup');
    const newKey = { userId: user._id, name: 'test', scopes: ['read:account'], expiresAt: null };
    const issued = await service.models.apiKeys.issue({ ...newKey, servers: ['other001'] }, new Date());
    expect((await service.call('GET', path, { key: issued.secret })).status).to.equal(404);
  });
});

describe('schedules without console commands', () => {
  const service = useService({ config: { hasConsoleCommands: false } });

  it('refuse to write or run a command for any key (403)', async () => {
    resetPanel(service, [panelServer({ identifier: id })]);
    const user = await service.addUser({ panelUserId: 7 });
    const { secret: key } = await service.addKey({ user });
    service.panel.schedules.set(id, [
      panelSchedule({ tasks: [panelTask({ action: 'command', payload: 'list' })] }),
    ]);
    for (const [method, rest, body] of [
      ['POST', '', scheduleOf('command')],
      ['PUT', '/1', scheduleOf('backup')],
      ['POST', '/1/run', undefined],
    ] as const) {
      const answer = await service.call(method, path + rest, { key, body });
      const message = 'Console commands, and with them write:console, are turned off on this service';
      expectError(answer, 'insufficient_scope', message);
    }
    expect((await service.call('POST', path, { key, body: scheduleOf('backup') })).status).to.equal(201);
  });
});

for (const dialect of ['pterodactyl', 'pelican'] as const)
  describe(`a customer's share of the panel for schedules on ${dialect}`, () => {
    const service = useOwner({ rateLimitPerMinute: 100_000, dialect, panel: { callsPerCustomer: 10 } });
    const call = (method: string, rest: string, body?: object) =>
      service.call(method, `/servers/${id}${rest}`, { key: service.key, ...(body && { body }) });

    beforeEach(() => resetPanel(service, [panelServer({ identifier: id })]));

    /** Leaves capacity in the minute for this many signals. */
    async function leaveRoom(calls: number) {
      const signal = async () => (await call('POST', '/power', { signal: 'start' })).status;
      let signals = 0;
      while ((await signal()) === 202) signals += 1;
      service.clock.advance(61_000);
      for (let count = calls; count < signals; count += 1) expect(await signal()).to.equal(202);
    }

    it('must cover two calls to run a command: the read of its tasks and the next one (202)', async () => {
      service.panel.schedules.set(id, [panelSchedule({ id: 1, tasks: [panelTask({ action: 'command' })] })]);
      await leaveRoom(2);
      expect((await call('POST', '/schedules/1/run')).status).to.equal(202);
    });

    it('must cover only the first call of a write, and the later ones are counted (201)', async () => {
      await leaveRoom(1);
      expect((await call('POST', '/schedules', scheduleOf('power', 'backup'))).status).to.equal(201);
      service.panel.forget();
      const refused = [
        await call('POST', '/schedules', scheduleOf('power', 'backup')),
        await call('PUT', '/schedules/1', scheduleOf('power', 'backup')),
      ];
      for (const answer of refused) {
        expectError(
          answer,
          'rate_limited',
          'Your account makes too many requests to the panel; try again later',
        );
        expect(Number(answer.headers.get('Retry-After'))).to.be.within(1, 61);
      }
      expect(service.panel.requests.filter(({ method }) => method !== 'GET')).to.deep.equal([]);
      service.clock.advance(61_000);
      expect((await call('POST', '/schedules', scheduleOf('power', 'backup'))).status).to.equal(201);
    });
  });
