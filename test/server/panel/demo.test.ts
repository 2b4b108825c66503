/** The demo panel answers over HTTP like a real one, and its servers follow their signals. */
import { expect } from 'chai';
import { demoPanelUserId, startDemoPanel } from '../../../server/panel/demo/demo.ts';
import { demoIdentifiers } from '../../../server/panel/demo/games.ts';
import { openPanel } from '../../../server/panel/pterodactyl.ts';
import { failureOf } from '../../support/failure-of.ts';
import { useForEach } from '../../support/use-started.ts';
import { listOwned, located, refusalOf } from './start-panel-test.ts';

const log = { error: () => {}, warn: () => {} };

describe('the demo panel', () => {
  let nowMs: number;
  const clock = () => nowMs;
  const demo = useForEach(() => {
    nowMs = Date.parse('2026-05-01T12:00:00Z');
    return startDemoPanel({ clock });
  });

  async function call(path: string, init: RequestInit = {}) {
    const headers = { Authorization: `Bearer ${demo.clientKey}`, Accept: 'application/json' };
    const response = await fetch(demo.url + path, { headers, ...init });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }
  const resourcesOf = (id: string) => call(`/api/client/servers/${id}/resources`);
  /** As the server's page shows it; live state is kept for 20 seconds. */
  const stateOf = async (id: string) => /: (\w+)\n/.exec((await call(`/server/${id}`)).body)?.[1];
  const send = (id: string, signal: unknown) =>
    call(`/api/client/servers/${id}/power`, { method: 'POST', body: JSON.stringify({ signal }) });

  async function statesAfter(id: string, signal: string) {
    expect((await send(id, signal)).status).to.equal(204);
    const states = [await stateOf(id)];
    for (let step = 0; step < 2; step += 1) {
      nowMs += 2_000;
      states.push(await stateOf(id));
    }
    return states;
  }

  it('takes an offline server through starting to running', async () => {
    expect(await stateOf(demoIdentifiers.valheim)).to.equal('offline');
    const states = await statesAfter(demoIdentifiers.valheim, 'start');
    expect(states).to.deep.equal(['starting', 'running', 'running']);
    expect((await resourcesOf(demoIdentifiers.valheim)).body.attributes.resources.uptime).to.equal(2_000);
  });

  for (const [signal, states] of [
    ['stop', ['stopping', 'offline', 'offline']],
    ['restart', ['stopping', 'starting', 'running']],
  ] as const)
    it(`changes a running server by ${signal}: ${states.join()}`, async () => {
      expect(await statesAfter(demoIdentifiers.rust, signal)).to.deep.equal(states);
    });

  it('stores schedules, and runs their tasks on request', async () => {
    const schedules = `/api/client/servers/${demoIdentifiers.minecraft}/schedules`;
    const { data } = (await call(schedules)).body;
    expect(data[0].attributes.next_run_at).to.equal('2026-05-02T04:30:00+00:00');
    const backupsOf = async () =>
      (await call(`/api/client/servers/${demoIdentifiers.minecraft}/backups`)).body.meta.backup_count;
    const before = await backupsOf();
    const restart = { action: 'power', payload: 'restart', time_offset: 0 };
    await call(`${schedules}/1/tasks`, { method: 'POST', body: JSON.stringify(restart) });
    expect((await call(`${schedules}/1/execute`, { method: 'POST' })).status).to.equal(202);
    expect([await stateOf(demoIdentifiers.minecraft), await backupsOf()]).to.deep.equal([
      'stopping',
      before + 1,
    ]);
    expect((await call(schedules)).body.data[0].attributes.last_run_at).to.equal('2026-05-01T12:00:00+00:00');
  });

  it('ignores a signal that does not fit the state', async () => {
    expect(await statesAfter(demoIdentifiers.valheim, 'stop')).to.deep.equal(Array(3).fill('offline'));
  });

  it('finds no user by e-mail address', async () => {
    const { status, body } = await call('/api/application/users?filter[email]=dana@panel.example');
    expect([status, body.data]).to.deep.equal([200, []]);
  });

  it('shows a server’s state at its panel_url', async () => {
    expect((await call(`/server/${demoIdentifiers.valheim}`)).body).to.equal('Ten Longships: offline\n');
    expect((await call(`/server/${demoIdentifiers.suspendedArk}`)).body).to.equal(
      'The Island, tamed: suspended\n',
    );
  });

  it('creates new keys at each start', async () => {
    const other = await startDemoPanel({ clock });
    await other.stop();
    expect([other.applicationKey, other.clientKey]).not.to.include.oneOf([
      demo.applicationKey,
      demo.clientKey,
    ]);
    expect(other.applicationKey).to.match(/^ptla_[\w-]{32}$/);
    expect(other.clientKey).to.match(/^ptlc_[\w-]{32}$/);
  });
});

describe('the demo panel behind the panel client', () => {
  it('makes a backup in a few seconds, serves its download, and refuses a fourth', async () => {
    let nowMs = Date.parse('2026-05-01T12:00:00Z');
    const { panel, stop } = await openPanel(null, { clock: () => nowMs, log });
    const { uuid, completedAt } = await panel.createBackup(
      located(demoIdentifiers.rust),
      { name: 'Before', earlierTryAt: null },
      'req-1',
    );
    expect(completedAt).to.equal(null);
    nowMs += 30_000;
    const { backups, total } = await panel.listBackups(located(demoIdentifiers.rust), 'req-2');
    expect([total, backups[0]?.isSuccessful, backups[0]?.name]).to.deep.equal([1, true, 'Before']);
    const { url, expiresAt } = await panel.getBackupLink(located(demoIdentifiers.rust), uuid, 'req-3');
    expect(expiresAt).to.equal(nowMs + 900_000);
    expect((await fetch(url)).status).to.equal(200);
    expect((await fetch(url)).status).to.equal(404);
    for (const name of ['second', 'third'])
      await panel.createBackup(located(demoIdentifiers.rust), { name, earlierTryAt: null }, 'req-4');
    const { apiCode } = await refusalOf(
      panel.createBackup(located(demoIdentifiers.rust), { name: 'fourth', earlierTryAt: null }, 'req-5'),
    );
    expect(apiCode).to.equal('bad_request');
    await stop();
  });
});

describe('the node of the demo panel', () => {
  const opened = useForEach(() => openPanel(null, { clock: Date.now, log }));
  const server = located(demoIdentifiers.minecraft);

  async function upload(url: string, bytes: Buffer, name = 'RaidTimer.jar') {
    const body = new FormData();
    body.append('files', new Blob([bytes]), name);
    return fetch(url, { method: 'POST', body });
  }

  it('takes files of up to a few megabytes by a link, once', async () => {
    const jar = Buffer.alloc(5 * 1024 * 1024, 'jar');
    const { url } = await opened.panel.createUploadLink(server, '/plugins', 'req-1');
    expect((await upload(url, jar)).status).to.equal(200);
    expect((await upload(url, jar)).status).to.equal(403);
    const { files } = await opened.panel.listFiles(server, { directory: '/plugins' }, 'req-2');
    expect(files.map(({ name, bytes }) => [name, bytes])).to.deep.equal([['RaidTimer.jar', jar.length]]);
    const link = await opened.panel.getFileLink(server, '/plugins/RaidTimer.jar', 'req-3');
    expect(Buffer.from(await (await fetch(link.url)).arrayBuffer()).equals(jar)).to.equal(true);
  });

  it('refuses more than that, a form without files, and a directory as a file', async () => {
    const link = async () => (await opened.panel.createUploadLink(server, '/', 'req-1')).url;
    const failure = await failureOf(upload(await link(), Buffer.alloc(9 * 1024 * 1024)));
    expect(failure.message).to.equal('fetch failed');
    const statuses = [
      await fetch(await link(), { method: 'POST', body: 'text' }),
      await upload(await link(), Buffer.from('x'), '..'),
    ].map(({ status }) => status);
    expect(statuses).to.deep.equal([400, 400]);
    const { files } = await opened.panel.listFiles(server, { directory: '/' }, 'req-2');
    expect(files.map(({ name }) => name)).to.include('server.properties');
  });
});

describe('openPanel()', () => {
  it('starts the demo panel when none is configured, and stops it', async () => {
    const { panel, isDemo, stop } = await openPanel(null, { clock: Date.now, log });
    expect(isDemo).to.equal(true);
    expect((await panel.listServers(demoPanelUserId, 'req-1')).servers).to.have.lengthOf(5);
    await panel.sendPower(located(demoIdentifiers.valheim), 'start', 'req-2');
    await stop();
    expect((await refusalOf(panel.listServers(demoPanelUserId + 1, 'req-4'))).status).to.equal(502);
  });

  it('opens the configured panel, and does not stop it', async () => {
    const demo = await startDemoPanel();
    const { panel, isDemo, stop } = await openPanel({ ...demo, kind: 'pelican' }, { clock: Date.now, log });
    await stop();
    const { servers } = await panel.listServers(demoPanelUserId, 'req-1');
    expect([isDemo, ...servers.map(({ kind }) => kind)]).to.deep.equal([false, ...Array(5).fill('pelican')]);
    await demo.stop();
  });
});

describe('the consoles of the demo panel', () => {
  let nowMs: number;
  const opened = useForEach(() => {
    nowMs = Date.parse('2026-05-01T12:00:00Z');
    return openPanel(null, { clock: () => nowMs, log });
  });

  async function find(identifier: string) {
    const servers = await listOwned(opened.panel, demoPanelUserId);
    return (
      servers.find((server) => server.identifier === identifier) ?? expect.fail('there is no such server')
    );
  }
  const send = (command: string, server: string = demoIdentifiers.rust) =>
    opened.panel.sendCommand(located(server), command, 'req-1');
  it('stop a running server with the command stop, which shows in its live state', async () => {
    await send('stop');
    expect((await opened.panel.getResources(located(demoIdentifiers.rust), 'req-2')).state).to.equal(
      'stopping',
    );
  });

  async function read(identifier: string) {
    nowMs += 20_000; // past every cache
    return opened.panel.readConsole(await find(identifier), 'req-1');
  }

  it('show a running game, and the answer to a command', async () => {
    await opened.panel.sendCommand(located(demoIdentifiers.minecraft), 'list', 'req-1');
    const { state, lines } = await read(demoIdentifiers.minecraft);
    expect(state).to.equal('running');
    expect(lines).to.include('[11:50:01] [Server thread/INFO]: Done (1.412s)! For help, type "help"');
    expect(lines.slice(-2)).to.deep.equal([
      '> list',
      '[12:00:00] [Server thread/INFO]: There are 1 of a max of 20 players online: dana',
    ]);
  });

  it('show a crash with its stack trace', async () => {
    const text = (await read(demoIdentifiers.rust)).lines.join('\n');
    expect(text).to.match(/RaidTimer.*NullReferenceException.*\n {2}at Oxide\.Plugins/);
  });

  it('show no lines of a server that is off, and its start once it starts', async () => {
    expect((await read(demoIdentifiers.valheim)).lines).to.deep.equal([]);
    await opened.panel.sendPower(located(demoIdentifiers.valheim), 'start', 'req-1');
    expect((await read(demoIdentifiers.valheim)).lines).to.include('Starting');
  });
});
