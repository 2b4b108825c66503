/** The examples do what their READMEs say: programs run by `npm start`, and a workflow by its commands, against the demo. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { WebSocketServer } from 'ws';
import { parse } from 'yaml';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { builtClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { listenLocally } from '../support/local-server.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { startProgram, type TestProgram } from '../support/program.ts';
import { useOwner } from '../support/use-key.ts';
import { useStarted } from '../support/use-started.ts';

const execute = promisify(execFile);
const examples = fileURLToPath(new URL('../../bridge/examples/', import.meta.url));
const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const server = '8c1f6e2a';

describe('the examples', () => {
  let dataDir: string;
  let service: TestProgram;
  const running: ChildProcess[] = [];

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'gamehost-examples-'));
    service = await startProgram({ DATA_DIR: dataDir });
    await cp(examples, join(dataDir, 'examples'), { recursive: true });
    await execute('npm', ['install', '--prefix', dataDir, await builtClient()]);
    await symlink(
      `${modules}@modelcontextprotocol`,
      join(dataDir, 'node_modules/@modelcontextprotocol'),
      'dir',
    );
  });
  afterEach(() => Promise.all(running.splice(0).map(stop)));
  after(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  function start(name: string, settings: Record<string, string> = {}) {
    const { PATH, HOME } = process.env;
    const own = { GAMEHOST_URL: service.url, GAMEHOST_KEY: service.key ?? '', SERVER: server, PORT: '0' };
    const child = spawn('npm', ['start', '--silent'], {
      cwd: join(dataDir, 'examples', name),
      env: { PATH, HOME, ...own, ...settings },
      detached: true, // npm and what it starts are one process group, which ends as a whole
    });
    running.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    return {
      output: () => output,
      end: async () => Number((await once(child, 'close'))[0]),
      url: () =>
        eventually(async () => {
          const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\//.exec(output) ?? [];
          expect(url, output).not.to.equal('');
          return url;
        }),
    };
  }

  async function call(path: string): Promise<Record<string, never>> {
    const headers = { Authorization: `Bearer ${service.key}` };
    const response = await fetch(`${service.url}/api/v1${path}`, { headers });
    expect(response.status).to.equal(200);
    return (await response.json()) as Record<string, never>;
  }

  it('show visitors which servers run and how many players they have', async () => {
    const url = await start('status-page').url();
    const page = await (await fetch(url)).text();
    const { servers } = (await call('/servers')) as unknown as { servers: { name: string }[] };
    for (const { name } of servers) expect(page).to.include(name);
    expect(page).to.match(/<li class="running"><b>[^<]+<\/b> running, 1 of 20 players<\/li>/);
    expect((await fetch(`${url}other`)).status).to.equal(404);
  });

  it('show the status as unknown while the key is refused', async () => {
    const page = start('status-page', { GAMEHOST_KEY: 'gamehost_live_unknown' });
    expect((await fetch(await page.url())).status).to.equal(503);
    expect(page.output()).to.match(/^The states could not be read: .*key/m);
  });

  it('schedule a backup every night, once, however often they run', async () => {
    const SERVER = '27be5c90';
    const run = start('nightly-backup', { SERVER });
    expect(await run.end(), run.output()).to.equal(0);
    const [, made] = /Schedule (\d+) makes the first backup at \S+T04:30:00\.000Z/.exec(run.output()) ?? [];
    const again = start('nightly-backup', { SERVER });
    expect(await again.end(), again.output()).to.equal(0);
    expect(again.output()).to.match(
      new RegExp(`Schedule ${made} exists already: its next run is at \\S+T04:30`),
    );
    const { schedules } = (await call(`/servers/${SERVER}/schedules`)) as unknown as {
      schedules: { id: number; is_active: boolean; tasks: { action: string }[] }[];
    };
    const found = schedules.map(({ id, is_active, tasks }) => [String(id), is_active, tasks[0]?.action]);
    expect(found).to.deep.equal([[made, true, 'backup']]);
  });

  it('exit with 1 and the reason when the schedule for backups is refused', async () => {
    const run = start('nightly-backup', { SERVER: 'ffffffff' });
    expect(await run.end()).to.equal(1);
    expect(run.output()).to.include('Server not found');
  });

  it('repair a server that cannot use its settings, and open one ticket about it', async () => {
    const broken = 'd94a07b3';
    const repair = () => start('repair-agent', { SERVER: broken });
    const first = repair();
    expect(await first.end(), first.output()).to.equal(0);
    const change = 'Line 4 of /config/server.yml was "max_players: ten" and is now "max_players: 10"';
    expect(first.output()).to.include(change);
    const [, id] = /^Ticket (\d+):/.exec(first.output()) ?? [];
    expect(JSON.stringify(await call(`/tickets/${id}`))).to.include(JSON.stringify(change).slice(1, -1));
    const { backups } = (await call(`/servers/${broken}/backups`)) as unknown as {
      backups: { name: string }[];
    };
    expect(backups[0]?.name).to.equal('Before a repair');
    const second = repair();
    expect(await second.end(), second.output()).to.equal(0);
    expect(second.output()).to.include('The server is running: nothing to repair');
  });

  describe('includes the update of a plugin, which', () => {
    const site = useStarted(startModrinth);
    const hosted = useOwner({});
    const files = () => hosted.panel.filesOf(panelServer({ identifier: server }));
    beforeEach(() => {
      hosted.panel.servers.set(7, [panelServer({ identifier: server })]);
      hosted.panel.forget();
    });
    const update = (settings: Record<string, string> = {}) =>
      start('update-plugin', {
        ...{ GAMEHOST_URL: hosted.url, GAMEHOST_KEY: hosted.key, MODRINTH_URL: site.url },
        ...{ PROJECT: 'RaidTimer', GAME_VERSION: '1.21.8', ...settings },
      });

    it('replaces the plugin by its newest release and restarts the server', async () => {
      const run = update();
      expect(await run.end(), run.output()).to.equal(0);
      expect(run.output()).to.include('Fetched RaidTimer 2.1.0 to /plugins/RaidTimer.jar: 14 bytes');
      expect(String(files().get('/plugins/RaidTimer.jar')?.content)).to.equal('a newer plugin');
      expect(hosted.panel.signals).to.deep.equal([`${server} restart`]);
      expect(site.asked).to.deep.equal([
        '/v2/project/RaidTimer/version?loaders=["paper"]&game_versions=["1.21.8"]',
      ]);
    });

    it('exits with 1 and the reason, without a restart, when the demo fetches nothing or Modrinth has no release or does not answer', async () => {
      const ofDemo = update({ GAMEHOST_URL: service.url, GAMEHOST_KEY: service.key ?? '' });
      expect(await ofDemo.end()).to.equal(1);
      expect(ofDemo.output()).to.include('The demo panel has no machine that can fetch a file');
      const unknown = update({ PROJECT: 'none' });
      expect(await unknown.end()).to.equal(1);
      expect(unknown.output()).to.include('Modrinth: 404 for none');
      const gone = `http://127.0.0.1:${await findFreePort()}`;
      const unanswered = update({ MODRINTH_URL: gone });
      expect(await unanswered.end()).to.equal(1);
      expect(unanswered.output().trim()).to.equal(`${gone} does not answer: ECONNREFUSED`);
      expect(hosted.panel.signals).to.deep.equal([]);
    });
  });

  describe('includes the deployment of a plugin by a workflow, which', () => {
    const hosted = useOwner({});
    const jar = randomBytes(300_000);
    before(() => writeFile(join(dataDir, 'RaidTimer.jar'), jar));
    beforeEach(() => {
      hosted.panel.servers.set(7, [panelServer({ identifier: server })]);
      hosted.panel.forget();
    });
    afterEach(() => {
      hosted.panel.nodeScript.download = null;
    });

    /** Runs the commands of its steps, like a runner of GitHub, until one fails. */
    async function deploy(settings: Record<string, string>) {
      const workflow = await readFile(`${examples}deploy-plugin/deploy-plugin.yml`, 'utf8');
      const filledIn = workflow.replace(/\$\{\{ \w+\.(\w+) \}\}/g, (_, name) => settings[name] ?? '');
      const job: Job = parse(filledIn).jobs.deploy;
      let output = '';
      for (const { run, env } of job.steps) {
        if (!run) continue;
        const child = spawn('bash', ['--noprofile', '--norc', '-e', '-c', run], {
          cwd: dataDir,
          env: { PATH: process.env['PATH'], ...job.env, ...env },
        });
        const ended = once(child, 'close');
        output += (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
        const [code] = await ended;
        if (code !== 0) return { hasFailed: true, output };
      }
      return { hasFailed: false, output };
    }

    it('puts the file on the server byte for byte, and restarts the server', async () => {
      const SERVER = '27be5c90';
      const settings = { GAMEHOST_URL: service.url, GAMEHOST_KEY: service.key ?? '', SERVER };
      const { hasFailed, output } = await deploy(settings);
      expect(hasFailed, output).to.equal(false);
      expect(output).to.include(`{"server":"${SERVER}","signal":"restart","status":"accepted"}`);
      const { files } = (await call(`/servers/${SERVER}/files?directory=/plugins`)) as unknown as {
        files: { name: string; bytes: number }[];
      };
      expect(files.map(({ name, bytes }) => [name, bytes])).to.deep.equal([['RaidTimer.jar', jar.length]]);
      const { url } = await call(`/servers/${SERVER}/files/download?file=/plugins/RaidTimer.jar`);
      const content = await (await fetch(String(url))).arrayBuffer();
      expect(Buffer.from(content).equals(jar)).to.equal(true);
    });

    it('fails with the reason, without a restart, when the API or the machine of the server refuses', async () => {
      const settings = { GAMEHOST_URL: hosted.url, GAMEHOST_KEY: hosted.key, SERVER: server };
      const unknown = await deploy({ ...settings, SERVER: 'ffffffff' });
      expect(unknown.hasFailed).to.equal(true);
      expect(unknown.output).to.include('Server not found');
      const error = 'File RaidTimer.jar is larger than the maximum file upload size of 1 MB.';
      hosted.panel.nodeScript.download = { status: 400, body: { error } };
      const tooLarge = await deploy(settings);
      expect(tooLarge.hasFailed).to.equal(true);
      expect(tooLarge.output).to.include(error);
      expect(hosted.panel.signals).to.deep.equal([]);
    });
  });

  describe('includes the Discord bot, which', () => {
    let discord: Awaited<ReturnType<typeof startDiscord>>;
    let bot: string;

    beforeEach(async () => {
      discord = await startDiscord();
      // Node 22 has WebSocket without it.
      const NODE_OPTIONS = '--experimental-websocket';
      const settings = { DISCORD_TOKEN: 'a-token', DISCORD_API_URL: discord.url, NODE_OPTIONS };
      bot = await start('discord-bot', settings).url();
    });
    afterEach(() => discord.stop());

    it('registers its commands for members who may manage the server', () => {
      const [command] = discord.sent('PUT', '/applications/77/commands') as [Record<string, never>[]];
      expect(command?.[0]).to.include({ name: 'server', default_member_permissions: '32' });
    });

    it('shows the number of players as its presence', async () => {
      const { token, presence } = await eventually(async () => {
        const [identity] = discord.sent('WS', '2') as { token: string; presence: object }[];
        return identity ?? expect.fail('the bot has not identified itself');
      });
      expect(token).to.equal('a-token');
      const activities = [{ name: '1 of 20 players', type: 3 }];
      expect(presence).to.deep.include({ status: 'online', activities });
    });

    it('reports the state of the server', async () => {
      expect(await discord.ask(bot, { name: 'state' })).to.match(
        /^The server is running: \d+ % CPU, \d+ MiB$/,
      );
    });

    it('restarts the server', async () => {
      expect(await discord.ask(bot, { name: 'restart' })).to.equal('The server is restarting');
    });

    it('opens a ticket with the given text', async () => {
      const options = [{ name: 'text', value: 'Players time out' }];
      const [, id] = /^Ticket (\d+) is open$/.exec(await discord.ask(bot, { name: 'ticket', options })) ?? [];
      expect(JSON.stringify(await call(`/tickets/${id}`))).to.include('Players time out');
    });

    it('exits with a single line when Discord does not answer', async () => {
      const gone = `http://127.0.0.1:${await findFreePort()}`;
      const ended = start('discord-bot', { DISCORD_TOKEN: 'a-token', DISCORD_API_URL: gone });
      expect(await ended.end()).to.equal(1);
      expect(ended.output().trim()).to.equal(`${gone} does not answer: ECONNREFUSED`);
    });

    it("answers Discord's ping and refuses requests that Discord did not sign", async () => {
      expect(await (await discord.post(bot, { type: 1 })).json()).to.deep.equal({ type: 1 });
      const { privateKey } = generateKeyPairSync('ed25519');
      expect((await discord.post(bot, { type: 1 }, privateKey)).status).to.equal(401);
    });
  });
});

interface Job {
  env: Record<string, string>;
  steps: { run?: string; env?: Record<string, string> }[];
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || !child.pid) return;
  process.kill(-child.pid);
  await once(child, 'exit');
}

/** Stands in for Modrinth's API, with the versions of one project. */
async function startModrinth() {
  const asked: string[] = [];
  const jar = 'https://cdn.modrinth.com/data/RaidTimer/versions/2.1.0/RaidTimer-2.1.0.jar';
  const fileOf = (url: string, text: string, primary: boolean) => ({
    ...{ url, primary, filename: 'RaidTimer.jar', size: text.length },
    hashes: { sha1: hash('sha1', text, 'hex'), sha512: hash('sha512', text, 'hex') },
  });
  const versions = [
    { version_number: '3.0.0-beta', version_type: 'beta', files: [] },
    {
      ...{ version_number: '2.1.0', version_type: 'release' },
      files: [fileOf(`${jar}.sources`, 'other', false), fileOf(jar, 'a newer plugin', true)],
    },
  ];
  const stand = createServer((req, res) => {
    const path = decodeURIComponent(req.url ?? '');
    const isKnown = path.includes('/RaidTimer/') && req.headers['user-agent']?.includes('gamehost');
    if (isKnown) asked.push(path);
    res.writeHead(isKnown ? 200 : 404, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(isKnown ? versions : {}));
  });
  return { asked, ...(await listenLocally(stand)) };
}

/** Stands in for Discord's API, and calls the bot as Discord does. */
async function startDiscord() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const verify_key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  const calls: { is: string; body: unknown }[] = [];
  const stand = createServer(async (req, res) => {
    const body = req.method === 'GET' ? null : await json(req);
    const isBot = req.headers.authorization === 'Bot a-token';
    calls.push({ is: `${req.method} ${req.url}`, body });
    res.writeHead(isBot ? 200 : 401, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify({ id: '77', verify_key, url: url.replace('http', 'ws') }));
  });
  const gateway = new WebSocketServer({ server: stand }).on('connection', (socket) => {
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 45_000 } }));
    socket.on('message', (message) => {
      const { op, d } = JSON.parse(String(message));
      calls.push({ is: `WS ${op}`, body: d });
    });
  });
  const { url, stop: stopListening } = await listenLocally(stand);
  const stop = () => {
    for (const socket of gateway.clients) socket.terminate();
    return stopListening();
  };
  const sent = (method: string, path: string) =>
    calls.filter(({ is }) => is === `${method} ${path}`).map(({ body }) => body);

  function post(bot: string, interaction: object, key: KeyObject = privateKey) {
    const body = JSON.stringify(interaction);
    const timestamp = '1700000000';
    const signature = sign(null, Buffer.from(timestamp + body), key).toString('hex');
    const headers = { 'X-Signature-Timestamp': timestamp, 'X-Signature-Ed25519': signature };
    return fetch(bot, { method: 'POST', headers, body });
  }

  /** @returns the message that the bot shows in the end */
  async function ask(bot: string, subcommand: object): Promise<string> {
    const token = `interaction-${calls.length}`;
    const response = await post(bot, {
      ...{ type: 2, application_id: '77', token, data: { name: 'server', options: [subcommand] } },
    });
    expect(await response.json()).to.deep.equal({ type: 5, data: { flags: 64 } });
    return eventually(async () => {
      const [message] = sent('PATCH', `/webhooks/77/${token}/messages/@original`) as { content: string }[];
      if (!message) throw new Error('the bot has not answered');
      return message.content;
    });
  }
  return { url, stop, sent, post, ask };
}
