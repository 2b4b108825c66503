/** Failures that only the operator can fix are in the log and in /readyz, and customers get a message they understand. */
import { expect } from 'chai';
import { createReadiness, PanelHealth } from '../../../server/observability/health.ts';
import { openPanel } from '../../../server/panel/pterodactyl.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { useService } from '../../support/service.ts';
import { type Behaviour, startStandInPanel } from '../../support/stand-in-panel.ts';
import { useForEach } from '../../support/use-started.ts';
import { listOwned } from './start-panel-test.ts';

const notAvailable = 'The panel is not available; try again later';

describe('a service with a failure that only the operator can fix', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000, panel: { retryDelayMs: 1, readRetries: 0 } });
  let key: string;

  before(async () => {
    const user = await service.addUser({ panelUserId: 7 });
    ({ secret: key } = await service.addKey({ user }));
  });
  beforeEach(async () => {
    service.panel.recover();
    service.panel.conditions.isClientKeyAdmin = true;
    service.panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4', node: 3 })]);
    service.clock.advance(120_000);
    await list();
    await resources();
    service.panel.forget();
    service.logLines.length = 0;
    service.clock.advance(60_000);
  });

  const list = () => service.call('GET', '/servers', { key });
  const resources = () => service.call('GET', '/servers/a1b2c3d4/resources', { key });
  const power = (identifier = 'a1b2c3d4', as = key) =>
    service.call('POST', `/servers/${identifier}/power`, { key: as, body: { signal: 'start' } });
  const panelPart = async () => (await service.callAt('GET', '/readyz')).body.parts.panel;
  const errorsLogged = () =>
    service.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50 || level === 'error');

  it('reports a panel without its Redis as failed with 502 and in /readyz, and pauses calls until it is back', async () => {
    const user = await service.addUser({ panelUserId: 8 });
    const { secret: another } = await service.addKey({ user });
    service.panel.servers.set(8, [panelServer({ identifier: 'e5f6a7b8', node: 4 })]);
    for (const each of [key, another]) await service.call('GET', '/servers', { key: each });
    service.panel.failWith(500, 'ConnectionException', {
      detail: 'An unexpected error was encountered while processing this request, please try again.',
    });
    for (let count = 0; count < 5; count += 1)
      expectError(
        await (count === 0 ? power('e5f6a7b8', another) : power()),
        'upstream_error',
        'The panel failed; the signal may or may not have been carried out',
      );
    service.panel.forget();
    expectError(await power(), 'upstream_error', 'The panel is unavailable; try again later');
    expect(service.panel.requests).to.deep.equal([]);
    expect(await panelPart()).to.equal('unavailable');
  });

  it("answers 502 and logs a line, not 404, if the client key's owner is no root administrator", async () => {
    service.panel.conditions.isClientKeyAdmin = false;
    for (const answer of [await power(), await resources()])
      expectError(answer, 'upstream_error', notAvailable);
    expect((await list()).status).to.equal(200);
    expect(await panelPart()).to.equal('unavailable');
    expect(errorsLogged().map(({ msg }) => msg)).to.include(
      "The owner of PANEL_CLIENT_KEY is not a root administrator of the panel, so the key sees no customer's server: use the key of a root administrator",
    );
  });

  it('answers 404 for a server that the panel no longer has, if the client key has its rights', async () => {
    await list();
    service.panel.servers.set(7, []);
    expectError(
      await resources(),
      'not_found',
      'Server not found; take its identifier from the list of servers',
    );
    expect(await panelPart()).to.equal('ok');
  });

  const challenge: Behaviour = { status: 403, body: '<h1>Checking your browser</h1>' };
  for (const [what, behaviour, line] of [
    [
      'a redirect to https',
      { status: 301, headers: { Location: 'https://panel.example/x?y=z' } },
      { status: 301, target: 'https://panel.example/x' },
    ],
    [
      'a challenge of a proxy',
      challenge,
      { status: 403, target: /\/api\/client\/servers\/a1b2c3d4\/power$/ },
    ],
  ] as const)
    it(`answers 502 to ${what} and logs it with status and target, not as a bad key`, async () => {
      service.panel.respondWith(behaviour);
      service.panel.respondNext({ after: Promise.resolve() });
      const answer = await power();
      expectError(answer, 'upstream_error', notAvailable);
      const [logged] = errorsLogged();
      expect(logged).to.include({ status: line.status });
      expect(logged.target).to.match(new RegExp(line.target));
      expect(logged.msg).not.to.include('key');
      expect(await panelPart()).to.equal('unavailable');
    });

  it('pauses for ten seconds if the panel is down for maintenance, whatever its Retry-After', async () => {
    service.panel.failWith(503, 'HttpException', {
      detail: 'Service Unavailable',
      headers: { 'Retry-After': '60' },
    });
    expect((await list()).status).to.equal(502);
    service.panel.recover();
    service.clock.advance(9_000);
    expect((await list()).status).to.equal(502);
    service.clock.advance(1_000);
    expect((await list()).status).to.equal(200);
  });
});

describe('a Pelican panel that cannot reach a node', () => {
  const service = useService({ dialect: 'pelican' });

  it('counts as available: the state is unknown with the reason', async () => {
    const user = await service.addUser({ panelUserId: 7 });
    const { secret: key } = await service.addKey({ user });
    service.panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4', node: 3 })]);
    service.panel.conditions.deadNodes.add(3);
    const { body } = await service.call('GET', '/servers/a1b2c3d4/resources', { key });
    expect(body.resources).to.include({
      state: 'unknown',
      reason: 'The machine that hosts the server did not carry out the request.',
    });
    expect((await service.callAt('GET', '/readyz')).body.parts.panel).to.equal('ok');
  });
});

describe('the service that starts with a panel', () => {
  const panel = useForEach(() => startStandInPanel());
  const opened: { stop(): Promise<void> }[] = [];
  afterEach(() => Promise.all(opened.splice(0).map(({ stop }) => stop())));

  /** Opens the panel as a start does, without a customer's call. */
  async function open(changed: object = {}) {
    const logged: string[] = [];
    const warned: string[] = [];
    const log = {
      error: (_: object, message: string) => logged.push(message),
      warn: (_: object, message: string) => warned.push(message),
    };
    const health = new PanelHealth();
    const { url, applicationKey, clientKey } = panel;
    const client = await openPanel(
      { url, kind: 'pterodactyl', applicationKey, clientKey, ...changed },
      { clock: Date.now, log, onOutcome: health.recordOutcome, isWorking: health.isWorking },
    );
    opened.push(client);
    const readiness = createReadiness({ pingDatabase: async () => {}, shared: null, panel: health });
    const panelPart = async () => (await readiness.check()).parts['panel'];
    const list = () => listOwned(client.panel, 7);
    return { logged, warned, panelPart, list, panel: client.panel };
  }

  it("shows the panel's own address in panel_url from the first list, and warns about a different PANEL_URL", async () => {
    panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]);
    panel.nodeScript.ownUrl = 'https://panel.example';
    const { list, warned } = await open();
    expect((await list())[0]?.panelUrl).to.equal('https://panel.example/server/a1b2c3d4');
    expect(warned).to.deep.equal([
      `PANEL_URL is ${panel.url}, but the panel's own address is https://panel.example: customers are sent to https://panel.example`,
    ]);
  });

  it("does not mistake one server's limit for console tokens for a limit of the panel", async () => {
    const server = panelServer({ identifier: 'a1b2c3d4' });
    panel.servers.set(7, [server]);
    panel.conditions.serverLimits.add('websocket');
    panel.filesOf(server).write('/a.txt', 'text', 0);
    // Each start requests one token, and the panel allows five a minute.
    const starts = [];
    for (let count = 0; count < 6; count += 1) starts.push(await open());
    for (const { list, panel: client } of starts) {
      const [own] = await list();
      if (!own) throw new Error('the list has the server');
      await client.sendPower(own, 'restart', 'req-1');
      await client.moveFile(
        own,
        { from: '/a.txt', to: '/b.txt' },
        { requestId: 'req-1', mayHaveHappened: false },
      );
      await client.moveFile(
        own,
        { from: '/b.txt', to: '/a.txt' },
        { requestId: 'req-1', mayHaveHappened: false },
      );
    }
  });

  it("accepts a different PANEL_URL silently if PANEL_PUBLIC_URL is the panel's own address", async () => {
    panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]);
    panel.nodeScript.ownUrl = 'https://panel.example';
    const { list, warned } = await open({ publicUrl: 'https://panel.example' });
    await list();
    await eventually(async () => expect(panel.requests.at(-1)?.path).to.match(/websocket|users/));
    expect(warned).to.deep.equal([]);
  });

  it('reads the address from a server that the host has not suspended', async () => {
    panel.servers.set(7, [
      panelServer({ identifier: 'a1b2c3d4', suspended: true }),
      panelServer({ identifier: 'b2c3d4e5' }),
    ]);
    panel.nodeScript.ownUrl = 'https://panel.example';
    const { list } = await open();
    expect((await list())[1]?.panelUrl).to.equal('https://panel.example/server/b2c3d4e5');
  });

  it('warns about a PANEL_TYPE that contradicts the panel', async () => {
    panel.servers.set(7, [panelServer()]);
    const { list, warned } = await open({ kind: 'pelican' });
    await list();
    expect(warned).to.deep.equal([
      'PANEL_TYPE is pelican, but the panel is a pterodactyl: set PANEL_TYPE=pterodactyl, which customers see as the type of their servers',
    ]);
  });

  it("notices without a customer's call that the panel works again", async () => {
    const { panelPart, list } = await open({ checkAgainMs: 20 });
    panel.failWith(500, 'QueryException');
    await list().catch(() => {});
    expect(await panelPart()).to.equal('unavailable');
    panel.recover();
    await eventually(async () => expect(await panelPart()).to.equal('ok'));
  });

  for (const [what, changed] of [
    ['the panel refuses the application key', { applicationKey: 'ptla_revoked' }],
    ['the panel refuses the client key', { clientKey: 'ptlc_revoked' }],
    ['the client key is an application key', { clientKey: 'ptla_stand-in-application-key' }],
  ] as const)
    it(`reports in the log and in /readyz that ${what}`, async () => {
      const { logged, panelPart } = await open(changed);
      await eventually(async () => expect(await panelPart()).to.equal('unavailable'));
      await eventually(async () => expect(logged).to.have.lengthOf(1));
      expect(logged[0]).to.match(/^The panel refused our key/);
    });

  it("reports in the log and in /readyz that the client key's owner is no root administrator", async () => {
    panel.conditions.isClientKeyAdmin = false;
    const { logged, panelPart } = await open();
    await eventually(async () => expect(await panelPart()).to.equal('unavailable'));
    await eventually(async () => expect(logged).to.have.lengthOf(1));
    expect(logged[0]).to.match(/^The owner of PANEL_CLIENT_KEY is not a root administrator/);
  });

  it('checks once what each key can do, and is silent if all is well', async () => {
    const { logged, panelPart } = await open();
    await eventually(async () => expect(panel.requests).to.have.lengthOf(3));
    expect(panel.requests.map(({ path }) => path.replace(/\?.*/, '')).sort()).to.deep.equal([
      ...['/api/application/servers', '/api/application/users', '/api/client/account'],
    ]);
    expect(await panelPart()).to.equal('ok');
    expect(logged).to.deep.equal([]);
  });
});
