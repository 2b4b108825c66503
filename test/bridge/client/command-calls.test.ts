/** The command gamehost in scripts: each operation by its group and name, with JSON for programs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startFaultyHost } from '../../support/faulty-host.ts';
import { ended, openGamehostCommand } from '../../support/gamehost-command.ts';
import { listenLocally } from '../../support/local-server.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { useOwner } from '../../support/use-key.ts';
import { useStarted } from '../../support/use-started.ts';

const server_identifier = 'a1b2c3d4';
const server = panelServer({ identifier: server_identifier });

describe('a command of gamehost in a script', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000 });
  const host = useStarted(() => startFaultyHost(service.url));
  const command = useStarted(openGamehostCommand);

  beforeEach(() => resetPanel(service, [server]));

  const options = (stdin = '') => ({
    env: { GAMEHOST_URL: host.url, GAMEHOST_KEY: service.key },
    stdin,
  });
  const run = (line: string[], stdin?: string) => command.run(line, options(stdin));
  async function json(line: string[], stdin?: string) {
    const { code, stdout, stderr } = await run(line, stdin);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  }
  /** The message of a command that is used wrongly; it sends nothing but reads the description. */
  async function wrongUse(line: string[]) {
    host.answerNext();
    const { code, stdout, stderr } = await run(line);
    expect({ code, stdout }, stderr).to.deep.equal({ code: 2, stdout: '' });
    expect(host.received.filter(({ path }) => path !== '/api/v1/openapi.json')).to.deep.equal([]);
    return stderr;
  }

  it('prints the JSON of the API unchanged, and a line break', async () => {
    const { stdout } = await run(['servers', 'list']);
    const headers = { Authorization: `Bearer ${service.key}` };
    const response = await fetch(`${service.url}/api/v1/servers`, { headers });
    expect(stdout).to.equal(`${await response.text()}\n`);
    const body = '{"servers": [{"id": 12345678901234567890, "2": 1.0, "1": "\\u00e9"}]}';
    host.answerNext({ status: 200, body });
    expect((await run(['servers', 'list'])).stdout).to.equal(`${body}\n`);
  });

  it('takes path parameters by position and other fields as options', async () => {
    const power = await json(['servers', 'power', server_identifier, '--signal', 'restart']);
    expect(power).to.deep.equal({ server: server_identifier, signal: 'restart', status: 'accepted' });
    const { ticket } = await json(['tickets', 'create', '--title=-5 TPS', '--message', 'Since noon.']);
    await json(['tickets', 'reply', String(ticket.id), '--message', 'Still.']);
    const read = await json(['tickets', 'getTicket', String(ticket.id)]);
    expect(read.ticket.subject).to.equal('-5 TPS');
    expect(read.messages.map(({ message }: { message: string }) => message)).to.include('Still.');
    expect((await json(['announcements', 'list', '--per_page', '3'])).per_page).to.equal(3);
  });

  it('takes lists and maps by repetition, objects as JSON, flags alone, and null', async () => {
    const tasks = ['{"action": "backup"}', '{"action": "power", "signal": "restart"}'];
    const { schedule } = await json([
      ...['servers', 'create-schedule', server_identifier, '--name', 'Nightly', '--cron', '0 4 * * *'],
      ...tasks.flatMap((task) => ['--tasks', task]),
      ...['--only-when-online', '--is-active', 'null'],
    ]);
    expect(schedule.tasks.map(({ action }: { action: string }) => action)).to.deep.equal(['backup', 'power']);
    expect(schedule).to.include({ only_when_online: true, is_active: true });
    const variables = ['--variables', 'DIFFICULTY=hard', '--variables', 'MOTD=a=b'];
    const names = await wrongUse(['servers', 'change-startup', server_identifier, '--variables', 'MOTD']);
    expect(names).to.include('--variables').and.include('NAME=VALUE');
    host.answerNext({ status: 200, body: '{}' });
    await json(['servers', 'change-startup', server_identifier, ...variables, '--if-match', '"1"']);
    expect(host.received[0]).to.include({ method: 'PATCH' });
    expect(host.received[0]?.headers).to.include({ 'if-match': '"1"' });
  });

  it('reads a body from standard input or a file, and options replace its fields', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gamehost-input-'));
    const body = JSON.stringify({ title: 'Lag', message: 'From a file.' });
    await writeFile(join(folder, 'ticket.json'), body);
    const fromFile = await json(['tickets', 'create', '--input', join(folder, 'ticket.json')]);
    expect(fromFile.ticket.subject).to.equal('Lag');
    const fromInput = await json(['tickets', 'create', '--input', '-', '--title', 'Other'], body);
    expect(fromInput.ticket.subject).to.equal('Other');
    expect(await wrongUse(['tickets', 'create', '--input', join(folder, 'none.json')])).to.include('--input');
    await rm(folder, { recursive: true });
  });

  it('makes a write once, if the same --idempotency-key comes again', async () => {
    const create = 'tickets create --title Once --message m --idempotency-key backup-1'.split(' ');
    const [first, second] = [await json(create), await json(create)];
    expect(second).to.deep.equal(first);
  });

  it('2: is refused with the name of the argument that is wrong', async () => {
    expect(await wrongUse(['tickets', 'create', '--title', 'Lag'])).to.equal('error: Add --message\n');
    expect(await wrongUse(['tickets', 'list', '--limit', 'many'])).to.match(/'--limit.+ integer/);
    const signal = await wrongUse(['servers', 'power', server_identifier, '--signal', 'kill']);
    expect(signal).to.match(/--signal .+ start, stop, restart/);
    expect(await wrongUse(['tickets', 'get', 'first'])).to.include('ticket_id');
    expect(await wrongUse(['servers', 'get'])).to.include('server_identifier');
    expect(await wrongUse(['servers', 'list', '--unknown'])).to.include('--unknown');
    expect(await wrongUse(['servers', 'lst'])).to.include('Did you mean list?');
    expect(await wrongUse(['server', 'list'])).to.include('Did you mean servers?');
  });

  it('2: destroys nothing without --yes', async () => {
    const create = 'webhooks create --url https://example.com/hook --events *'.split(' ');
    const { webhook } = await json(create);
    expect(await wrongUse(['webhooks', 'delete', webhook.id])).to.include('--yes');
    await json(['webhooks', 'delete', webhook.id, '--yes']);
    expect((await json(['webhooks', 'list'])).webhooks).to.deep.equal([]);
  });

  it('says in its help what the description says, with the scope', async () => {
    const { stdout } = await run(['servers', 'power', '--help']);
    expect(stdout.replace(/\s+/g, ' '))
      .to.include('Usage: gamehost servers power')
      .and.include('Start, stop or restart a server.')
      .and.include('Requires a key with the scope `write:servers`.')
      .and.include('(one of start, stop, restart) (required)');
    const help = (await run(['servers', '--help'])).stdout;
    expect(help).to.match(/^ {2}power +Start, stop or restart a server$/m);
    for (const line of help.split('\n')) expect(line.length).to.be.at.most(80);
  });

  it('finds an operation that its host has gained since the description was read', async () => {
    const operation = (operationId: string) => ({
      operationId,
      summary: '',
      description: '',
      tags: ['Mods'],
    });
    const paths: Record<string, object> = { '/mods': { get: operation('listMyMods') } };
    const answer = (path = '') =>
      path.endsWith('openapi.json') ? { paths, components: { schemas: {} } } : { path };
    const newer = await listenLocally(
      createServer(({ url }, response) => response.end(JSON.stringify(answer(url)))),
    );
    const env = { GAMEHOST_URL: newer.url, GAMEHOST_KEY: 'k' };
    expect((await command.run(['mods', 'list'], { env })).stdout).to.equal('{"path":"/api/v1/mods"}\n');
    paths['/mods/newest'] = { get: operation('getNewestMod') };
    const newest = await command.run(['mods', 'get-newest'], { env });
    expect(newest.stdout).to.equal('{"path":"/api/v1/mods/newest"}\n');
    await newer.stop();
  });

  it('offers the operations of a host beside odd ones', async () => {
    const operation = (operationId?: string, tag = 'Mods') => ({
      operationId,
      summary: 's',
      description: '',
      tags: [tag],
    });
    const self = { $ref: '#/components/schemas/Self' };
    const schemas = { Self: { anyOf: [self, { type: 'array', items: self }, self, { type: 'string' }] } };
    const schema = { type: 'object', properties: { self, list: { type: 'array', items: self } } };
    const sent = (type: string, body: object) => ({ requestBody: { content: { [type]: { schema: body } } } });
    const paths = {
      '/mods': {
        summary: 'Mods',
        parameters: [],
        get: operation('listMyMods'),
        post: operation('listMyMods'),
      },
      '/self': { post: { ...operation('create'), ...sent('application/json', schema) }, get: null },
      '/itself': { post: { ...operation('put'), ...sent('application/json', self) } },
      '/form': { post: { ...operation('sendForm'), ...sent('multipart/form-data', {}) }, put: operation() },
      '/cyrillic': {
        get: operation('listMaps', 'Карты'),
        put: operation('моды'),
        post: { operationId: 'o' },
      },
    };
    const described = { paths, components: { schemas } };
    const odd = await listenLocally(
      createServer(({ url, method }, response) =>
        response.end(JSON.stringify(url?.endsWith('openapi.json') ? described : `${method} ${url}`)),
      ),
    );
    const env = { GAMEHOST_URL: odd.url, GAMEHOST_KEY: 'k' };
    for (const [line, call] of [
      ['mods list', 'GET /api/v1/mods'],
      ['mods create --list a --list b', 'POST /api/v1/self'],
      ['Карты listMaps', 'GET /api/v1/cyrillic'],
    ] as const)
      expect(await command.run(line.split(' '), { env })).to.include({ stdout: `"${call}"\n`, stderr: '' });
    await odd.stop();
  });

  it('uploads a file under its name, and refuses what is no file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gamehost-upload-'));
    const file = join(folder, 'RaidTimer.jar');
    await writeFile(file, 'bytes');
    const answer = await json(['servers', 'upload', server_identifier, file, '--directory', '/plugins']);
    expect(answer).to.deep.equal({ uploaded: { file: '/plugins/RaidTimer.jar', bytes: 5 } });
    expect(String(service.panel.filesOf(server).get('/plugins/RaidTimer.jar')?.content)).to.equal('bytes');
    for (const wrong of [folder, join(folder, 'none')])
      expect(await wrongUse(['servers', 'upload', server_identifier, wrong])).to.include(wrong);
    await rm(folder, { recursive: true });
  });

  it('uploads for longer than a call may take', async () => {
    const machine = await listenLocally(
      createServer((request, response) =>
        request.resume().on('end', () => setTimeout(() => response.end(), 2_500)),
      ),
    );
    const upload = { url: machine.url, method: 'POST', field: 'files' };
    host.answerNext({ status: 201, body: JSON.stringify({ upload }) });
    // Node's timers go 15 times as fast, so that 30 seconds are 2.
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(
      'const { setTimeout: wait } = globalThis; globalThis.setTimeout = (call, ms, ...rest) => wait(call, ms / 15, ...rest);',
    )}`;
    const { env } = options();
    const { code, stderr } = await command.run(
      ['servers', 'upload', server_identifier, import.meta.filename],
      {
        env: { ...env, NODE_OPTIONS },
      },
    );
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    await machine.stop();
  });

  it('ends in peace when the reader of its output has enough', async () => {
    const child = command.start(['description', 'get-open-api-document'], options());
    child.stdout.destroy();
    expect(await ended(child)).to.include({ code: 0, stderr: '' });
  });
});
