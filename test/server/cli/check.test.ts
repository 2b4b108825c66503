/** `check` prints what works and what does not, with advice, before the first start and while the service runs. */
import { expect } from 'chai';
import { createCli } from '../../support/cli.ts';
import { useDirectory } from '../../support/directory.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { panelSchedule, panelServer } from '../../support/panel/attributes.ts';
import { openPatiently, startTestRedis } from '../../support/redis.ts';
import { useService } from '../../support/service.ts';
import { useStarted } from '../../support/use-started.ts';

interface Check {
  part: string;
  state: string;
  message: string;
}

describe('npm run cli: check', () => {
  const service = useService({ hasApps: true });
  const redis = useStarted(startTestRedis);
  const directory = useDirectory();
  const nowhere = 'http://127.0.0.1:1';

  const settings = () => ({
    MONGODB_URI: service.databaseUri,
    REDIS_URL: redis.url,
    PANEL_URL: service.panel.url,
    PANEL_APPLICATION_KEY: service.panel.applicationKey,
    PANEL_CLIENT_KEY: service.panel.clientKey,
    PUBLIC_URL: service.url,
    PORT: new URL(service.url).port,
  });
  async function check(changed: NodeJS.ProcessEnv = {}) {
    const { code, stdout } = await createCli({ ...settings(), ...changed }).run('check --json');
    const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout);
    expect(code).to.equal(ok ? 0 : 1);
    const of = (part: string) => checks.find((found) => found.part === part);
    return { ok, checks, of };
  }

  before(async () => {
    await createCli(settings).json('schema --migrate');
    const shared = await openPatiently(redis.url);
    await shared.redis.call('ACL', 'SETUSER', 'limited', 'on', '>hunter2', '~gamehost:*', '+ping', '+info');
    shared.stop();
  });
  beforeEach(() => {
    service.panel.recover();
    service.panel.nodeScript.ownUrl = null;
    Object.assign(service.panel.conditions, { isClientKeyAdmin: true });
    service.panel.conditions.deniedResources.clear();
    service.panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]);
  });

  it('exits with 0 and prints a line for each part when all is well', async () => {
    const { code, stdout } = await createCli(settings).run('check');
    expect(code).to.equal(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[1]).to.match(/^(ok|note) +MongoDB +(version \d|MongoDB \d)/);
    expect(lines.at(-1)).to.match(/^(ok|note) +Node\.js +(v\d|Node\.js \d)/);
    expect(lines.slice(2, -1).map((line) => line.replace(/ {2,}/g, ' | '))).to.deep.equal([
      'ok | Redis | answers',
      'ok | Panel: application key | has Read for users, servers and allocations',
      'ok | Panel: client key | belongs to a root administrator',
      `ok | Panel: address | PANEL_URL is the panel's own address, ${service.panel.url}`,
      'off | Mail | SMTP_URL is not set: no mail is sent',
      `ok | Public address | ${service.url} answers as this service`,
    ]);
    expect(service.panel.signals).to.deep.equal([]);
  });

  it('reports that the service has never started, and leaves the database empty', async () => {
    const uri = testDatabaseUri('never_started');
    const port = { PUBLIC_URL: nowhere, PORT: '1' };
    const { ok, of } = await check({ MONGODB_URI: uri, ...port });
    expect(ok).to.equal(true);
    expect(of('MongoDB')).to.include({
      state: 'note',
      message: 'ready and empty: the service has not started on it yet, and its first start fills it',
    });
    expect(of('Public address')?.message).to.match(/^the service does not run at http:\/\/127.0.0.1:1 yet/);
    const databases = await service.connection.listDatabases();
    expect(databases.databases.map(({ name }) => name)).not.to.include(new URL(uri).pathname.slice(1));
  });

  it('starts nothing when nothing is configured, and reports what is off', async () => {
    const unset = ['MONGODB_URI', 'REDIS_URL', 'PANEL_URL', 'PUBLIC_URL'].map((name) => [name, '']);
    const { ok, checks } = await check({ ...Object.fromEntries(unset), DATA_DIR: directory.path });
    expect(ok).to.equal(true);
    expect(checks.slice(0, -1).map(({ state }) => state)).to.deep.equal(['note', 'off', 'off', 'off', 'off']);
  });

  const refused: [
    what: string,
    change: () => NodeJS.ProcessEnv | undefined,
    part: string,
    message: RegExp,
  ][] = [
    [
      'MongoDB does not answer',
      () => ({ MONGODB_URI: 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=2000' }),
      'MongoDB',
      /^No connection to the MongoDB at MONGODB_URI: connect ECONNREFUSED/,
    ],
    [
      'Redis is not there',
      () => ({ REDIS_URL: 'redis://127.0.0.1:1' }),
      'Redis',
      /^cannot be reached \(connect ECONNREFUSED 127\.0\.0\.1:1\): check REDIS_URL/,
    ],
    [
      'Redis refuses the password',
      () => ({ REDIS_URL: redis.url.replace('//', '//limited:wrong@') }),
      'Redis',
      /^refuses the password \(WRONGPASS .*\): check REDIS_URL/,
    ],
    [
      'the user of Redis lacks rights',
      () => ({ REDIS_URL: redis.url.replace('//', '//limited:hunter2@') }),
      'Redis',
      /^lacks rights that limits need, .* \(.*NOPERM.*\): check REDIS_URL/,
    ],
    [
      'the application key is refused',
      () => ({ PANEL_APPLICATION_KEY: 'ptla_revoked' }),
      'Panel: application key',
      /^The panel refused our key: .* \(PANEL_APPLICATION_KEY, which needs Read for users, .*: Unauthenticated\.\)$/,
    ],
    ...(['users', 'servers', 'allocations'] as const).map(
      (resource): [string, () => undefined, string, RegExp] => [
        `the application key may not read ${resource}`,
        () => void service.panel.conditions.deniedResources.add(resource),
        'Panel: application key',
        /PANEL_APPLICATION_KEY, .* needs Read for users|PANEL_APPLICATION_KEY, so servers .*: the key needs Read for users/,
      ],
    ),
    [
      'the client key is refused',
      () => ({ PANEL_CLIENT_KEY: 'ptlc_revoked' }),
      'Panel: client key',
      /^The panel refused our key: .* \(PANEL_CLIENT_KEY: Unauthenticated\.\)$/,
    ],
    [
      'the owner of the client key is no root administrator',
      () => void Object.assign(service.panel.conditions, { isClientKeyAdmin: false }),
      'Panel: client key',
      /^The owner of PANEL_CLIENT_KEY is not a root administrator/,
    ],
    [
      'the panel answers with a redirect',
      () => void service.panel.respondWith({ status: 301, headers: { Location: 'https://panel.example/' } }),
      'Panel: client key',
      /PANEL_URL must be its own address.*https:\/\/panel\.example\//,
    ],
    [
      'the panel is not there',
      () => ({ PANEL_URL: nowhere }),
      'Panel: application key',
      /^The panel could not be reached \(PANEL_APPLICATION_KEY, .*ECONNREFUSED/,
    ],
    [
      'PUBLIC_URL leads nowhere, though the service runs',
      () => ({ PUBLIC_URL: nowhere }),
      'Public address',
      /^nothing answers at http:\/\/127\.0\.0\.1:1/,
    ],
    [
      'PUBLIC_URL leads to a service with another one',
      () => ({ PUBLIC_URL: service.url.replace('127.0.0.1', 'localhost') }),
      'Public address',
      /^(a service with another PUBLIC_URL|nothing) answers at http:\/\/localhost/,
    ],
    [
      'PUBLIC_URL leads to another program',
      () => ({ PUBLIC_URL: service.panel.url }),
      'Public address',
      /^another program answers/,
    ],
  ];
  for (const [what, change, part, message] of refused)
    it(`exits with 1 if ${what}`, async () => {
      const { ok, of } = await check(change() ?? {});
      expect(of(part)?.message).to.match(message);
      expect(of(part)?.state).to.equal('failed');
      expect(ok).to.equal(false);
    });

  it("prints the panel's public address if PANEL_URL is an internal one", async () => {
    service.panel.nodeScript.ownUrl = 'https://panel.example';
    const { ok, of } = await check();
    expect(ok).to.equal(true);
    expect(of('Panel: address')).to.include({
      state: 'note',
      message: `PANEL_URL is ${service.panel.url}, but the panel's own address is https://panel.example: customers are sent to https://panel.example`,
    });
  });

  it('reports a PANEL_TYPE that contradicts the panel', async () => {
    const { ok, of } = await check({ PANEL_TYPE: 'pelican' });
    expect(ok).to.equal(true);
    expect(of('Panel: type')?.message).to.match(/^PANEL_TYPE is pelican, but the panel is a pterodactyl/);
  });

  for (const [what, changes, message] of [
    [
      'is long past, and the time zone as a possible cause',
      {},
      /^Schedule 4 of server a1b2c3d4 is active, but its next run was due at 2026-01-02T03:30:00\.000Z: .*APP_TIMEZONE is UTC$/,
    ],
    [
      'is past because a run never ended, and how to free it',
      { is_processing: true },
      /^Schedule 4 of server a1b2c3d4 is active.*: one of its runs never ended; switch it off and on again$/,
    ],
  ] as const)
    it(`reports an active schedule whose next run ${what}`, async () => {
      const late = { next_run_at: '2026-01-02T04:30:00+01:00' };
      service.panel.schedules.set('a1b2c3d4', [
        panelSchedule({ id: 2 }),
        panelSchedule({ id: 3, ...late, is_active: false }),
        panelSchedule({ id: 4, ...late, ...changes }),
      ]);
      const { ok, of } = await check();
      service.panel.schedules.clear();
      expect(ok).to.equal(true);
      expect(of('Panel: schedules')?.state).to.equal('note');
      expect(of('Panel: schedules')?.message).to.match(message);
    });

  it('does not report a node in maintenance as a fault of the panel', async () => {
    service.panel.conditions.maintainedNodes.add(1);
    const { ok, of } = await check();
    service.panel.conditions.maintainedNodes.clear();
    expect(ok).to.equal(true);
    expect(of('Panel: address')).to.include({ state: 'note' });
  });

  it('prints no key and no password', async () => {
    const { checks } = await check({
      MONGODB_URI: 'mongodb://user:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=2000',
      REDIS_URL: 'redis://:hunter2@127.0.0.1:1',
      PANEL_APPLICATION_KEY: 'ptla_hunter2',
    });
    expect(JSON.stringify(checks)).not.to.include('hunter2');
  });
});
