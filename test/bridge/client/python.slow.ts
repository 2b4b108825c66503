/** The Python package, installed from its wheel: calls, retries, pages, uploads, webhooks, types and its README. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { useDirectory } from '../../support/directory.ts';
import { readDocument, samplesOf } from '../../support/documents.ts';
import { failureOf } from '../../support/failure-of.ts';
import { type Fault, startFaultyHost } from '../../support/faulty-host.ts';
import { panelBackup, panelServer } from '../../support/panel/attributes.ts';
import { startProgram } from '../../support/program.ts';
import { type InstalledPackage, installPythonClient } from '../../support/python-client.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { useOwner } from '../../support/use-key.ts';
import { useStarted } from '../../support/use-started.ts';

const run = promisify(execFile);
const atOnce = { 'Retry-After': '0' };
const uuid = '904df120-a66f-4b9d-8f30-2c1b7f8c0d3f';
const server = panelServer({ identifier: 'a1b2c3d4' });

describe('the Python package', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000, panel: { progressTtlMs: 50 } });
  const host = useStarted(() => startFaultyHost(service.url));
  const data = useDirectory();
  const demo = useStarted(() => startProgram({ DATA_DIR: data.path }));
  let python: InstalledPackage;

  before(async () => {
    python = await installPythonClient();
  });
  beforeEach(() => {
    resetPanel(service, [server]);
    host.answerNext();
  });

  const answerOf = (program: string) => python.answerOf({ url: host.url, key: service.key }, program);
  /** Prints the failure of a call. */
  const refusalOf = (call: string, options = '') =>
    answerOf(`
try:
    gamehost = Gamehost(${options})
    ${call}
except GamehostError as error:
    print(json.dumps(vars(error)))`);
  const keysSent = () => host.received.map(({ headers }) => headers['idempotency-key']);
  const countTickets = async (title: string) => {
    const { tickets } = (await service.call('GET', '/tickets', { key: service.key })).body;
    return tickets.filter(({ subject }: { subject: string }) => subject === title).length;
  };

  it('has the version of the service, its licence, and the libraries that it needs', async () => {
    const { version } = JSON.parse(await readDocument('package.json'));
    const metadata = 'from importlib.metadata import files, version\n';
    const names = 'print(json.dumps([version("gamehost"), *(file.name for file in files("gamehost"))]))';
    expect(await answerOf(metadata + names)).to.include.members([
      version,
      'LICENSE',
      'py.typed',
      'models.py',
    ]);
    expect(await python.run('pip', ['check'])).to.include('No broken requirements');
  });

  it('takes fields by keyword, and answers with attributes', async () => {
    const program = `
with Gamehost() as gamehost:
    created = gamehost.tickets.create_ticket(title="From Python", message="Hello").ticket
    conversation = gamehost.tickets.get_ticket(ticket_id=created.id, limit=1)
    gamehost.files.move_server_file(server_identifier="a1b2c3d4", from_="/server.properties", to="/old")
    key = gamehost.account.get_current_key().key
    print(json.dumps([
        conversation.messages[0].message, conversation.ticket.created_at.tzname(), key.expires_at,
        conversation.ticket.additional_properties,
    ]))`;
    expect(await answerOf(program)).to.deep.equal(['Hello', 'UTC', null, {}]);
    expect(service.panel.filesOf(server).get('/old')).to.be.an('object');
  });

  it('sends null where it is given, leaves out what is not given, and sends models', async () => {
    const program = `
gamehost = Gamehost()
task = ScheduleTaskRequest(action="power", signal="restart")
schedule = gamehost.servers.create_server_schedule(
    server_identifier="a1b2c3d4", name="Nightly", cron="30 4 * * *", tasks=[task]
).schedule
gamehost.servers.replace_server_schedule(
    server_identifier="a1b2c3d4", schedule_id=schedule.id, name="Daily", cron=schedule.cron,
    last_run_at=schedule.last_run_at, next_run_at=schedule.next_run_at,
    tasks=[*schedule.tasks, KeptScheduleTaskRequest(action="power", signal="stop")],
)
tags = []
hook = gamehost.webhooks.create_webhook(url="https://example.com/", events=["*"], description="Ours").webhook
gamehost.webhooks.get_webhook(webhook_id=hook.id, on_response=lambda response: tags.append(response.headers["ETag"]))
hook = gamehost.webhooks.change_webhook(webhook_id=hook.id, description=None, if_match=tags[0]).webhook
schedules = gamehost.servers.list_server_schedules(server_identifier="a1b2c3d4").schedules
print(json.dumps([schedules[0].name, [task.signal for task in schedules[0].tasks], hook.description, hook.events]))`;
    expect(await answerOf(program)).to.deep.equal(['Daily', ['restart', 'stop'], null, ['*']]);
  });

  it('reads the answers of a newer and an older host', async () => {
    const ticket = { id: 1, status: 'Postponed', created_at: '2026-11-21T09:30:00.000Z', color: 'red' };
    host.answerNext({ status: 200, body: JSON.stringify({ tickets: [ticket] }) });
    const program = `
[ticket] = Gamehost().tickets.list_my_tickets().tickets
print(json.dumps([ticket.status, ticket.created_at.isoformat(), ticket.subject, ticket.additional_properties]))`;
    const expected = ['Postponed', '2026-11-21T09:30:00+00:00', null, { color: 'red' }];
    expect(await answerOf(program)).to.deep.equal(expected);
  });

  it('raises a GamehostError for each failure', async () => {
    const missing = await refusalOf('gamehost.servers.get_server(server_identifier="ffffffff")');
    expect(missing).to.deep.include({ status: 404, code: 'not_found', retry_after_seconds: null });
    expect(missing)
      .to.have.property('request_id')
      .that.matches(/^[0-9a-f]{32}$/);
    host.answerNext({ status: 200, body: 'Welcome' });
    const unexpected = { status: 200, code: 'unexpected_response' };
    expect(await refusalOf('gamehost.account.get_my_profile()')).to.include(unexpected);
    const unreachable = await refusalOf(
      'gamehost.account.get_my_profile()',
      'base_url="http://[::1]:1", retries=0',
    );
    expect(unreachable).to.include({ status: null, code: 'connection_failed' });
    host.answerNext('late');
    const late = await refusalOf('gamehost.account.get_my_profile(timeout=0.3)', 'retries=0');
    expect(late).to.include({ status: null, code: 'timeout' });
    const long = {
      status: 200,
      headers: { 'Content-Encoding': 'gzip' },
      body: gzipSync(Buffer.alloc(2 ** 27)),
    };
    host.answerNext(long);
    const tooLong = await refusalOf('gamehost.account.get_my_profile()', 'retries=0');
    expect(tooLong).to.include({ status: null, code: 'connection_failed' });
    const pickled =
      'import pickle\nprint(json.dumps(vars(pickle.loads(pickle.dumps(GamehostError("a", "b"))))))';
    expect(await answerOf(pickled)).to.include({ code: 'a', message: 'b', status: null });
  });

  it('sends no key over plain HTTP, to a redirection, or to another operation', async () => {
    const profile = 'gamehost.account.get_my_profile()';
    for (const address of ['http://games.example', 'games.example', 'http://127.0.0.1.example'])
      expect(await refusalOf(profile, `base_url="${address}"`)).to.include({
        code: 'invalid_options',
      });
    host.answerNext({ status: 307, headers: { Location: `${host.url}/elsewhere` } });
    const redirected = await refusalOf(profile);
    expect(redirected).to.include({ status: 307, code: 'unexpected_response' });
    expect(host.received).to.have.lengthOf(1);
    host.answerNext();
    for (const id of ['', '.', '..'])
      expect(await refusalOf(`gamehost.servers.get_server(server_identifier="${id}")`)).to.include({
        code: 'invalid_call',
      });
    const proxied = 'os.environ["HTTP_PROXY"] = "http://127.0.0.1:1"\n';
    await answerOf(`${proxied}Gamehost(retries=0).account.get_my_profile()\nprint("null")`);
    host.answerNext();
    const secret = await refusalOf(profile, 'key="gamehost_live_secret\\nX: y"');
    expect(secret).to.include({ code: 'invalid_call' });
    expect(JSON.stringify(secret)).not.to.include('gamehost_live_secret');
    expect(host.received).to.have.lengthOf(0);
    const { status } = (await refusalOf('gamehost.servers.get_server(server_identifier="../me")')) as never;
    expect(status).to.equal(404);
  });

  it('repeats a write whose answer is lost or late under one Idempotency-Key, so that it is done once', async () => {
    host.answerNext('lost', 'late', { status: 409, headers: atOnce });
    const program = `
tokens = [os.environ["GAMEHOST_KEY"]] * 4
gamehost = Gamehost(timeout=1, retries=3, key="an old one", token=tokens.pop)
print(gamehost.tickets.create_ticket(title="An answer is lost", message="Help").ticket.id)`;
    expect(await answerOf(program)).to.be.a('number');
    expect(keysSent()).to.have.lengthOf(4);
    expect(new Set(keysSent())).to.have.lengthOf(1);
    expect(await countTickets('An answer is lost')).to.equal(1);
  });

  it('repeats reads at most twice, and nothing that could be done twice or is refused', async () => {
    const repetitions = async (call: string, ...faults: Fault[]) => {
      host.answerNext(...faults);
      await refusalOf(`gamehost.${call}; print("null")`);
      return host.received.length - 1;
    };
    const read = 'account.get_my_profile()';
    const create = 'webhooks.create_webhook(url="https://example.com/", events=["*"])';
    const busy: Fault = { status: 503, headers: atOnce };
    expect(await repetitions(read, { status: 429, headers: atOnce }, 'lost')).to.equal(2);
    expect(await repetitions(read, { status: 502, headers: atOnce }, busy, busy)).to.equal(2);
    for (const status of [400, 401, 403, 404, 409, 500, 504])
      expect(await repetitions(read, { status, headers: atOnce })).to.equal(0);
    for (const seconds of ['61', '9'.repeat(20)])
      expect(await repetitions(read, { status: 503, headers: { 'Retry-After': seconds } })).to.equal(0);
    const tomorrow = new Date(Date.now() + 86_400_000).toUTCString();
    expect(await repetitions(read, { status: 503, headers: { 'Retry-After': tomorrow } })).to.equal(0);
    expect(await repetitions(create, busy, { status: 429, headers: atOnce })).to.equal(2);
    expect(await repetitions(create, 'lost')).to.equal(0);
    expect(await repetitions(create, { status: 502, headers: atOnce })).to.equal(0);
  });

  it('reads each item of every list once', async () => {
    const draft = { summary: '', message: 'News', tag: null, showInRibbon: false };
    for (const title of ['First', 'Second', 'Third'])
      await service.models.announcements.add({ ...draft, title, status: 'published' }, new Date());
    const files = service.panel.filesOf(server);
    for (let number = 0; number < 2_100; number++) files.write(`/world/${1_000 + number}`, '', 0);
    const servers = ['a1b2c3d4', 'b2', 'c3'].map((identifier, id) => panelServer({ identifier, id: id + 1 }));
    service.panel.servers.set(7, servers);
    service.clock.advance(60_000);
    const program = `
gamehost = Gamehost()
hook = gamehost.webhooks.create_webhook(url="https://example.com/", events=["*"]).webhook
for _ in range(3):
    gamehost.webhooks.test_webhook(webhook_id=hook.id)
ticket = gamehost.tickets.create_ticket(title="A page", message="1").ticket
for number in ("2", "3"):
    gamehost.tickets.reply_to_ticket(ticket_id=ticket.id, message=number)
    gamehost.tickets.create_ticket(title="A page", message="1")
tickets = [one.id for one in gamehost.paginate(gamehost.tickets.list_my_tickets, status="New", limit=1)]
activity = [one.id for one in gamehost.paginate(gamehost.activity.list_my_activity, limit=2)]
messages = gamehost.paginate(gamehost.tickets.get_ticket, ticket_id=ticket.id, limit=2)
news = gamehost.paginate(gamehost.announcements.list_announcements, per_page=1)
files = gamehost.paginate(
    gamehost.files.list_server_files, server_identifier="a1b2c3d4", directory="/world"
)
states = gamehost.paginate(gamehost.servers.list_server_states, limit=2)
deliveries = gamehost.paginate(gamehost.webhooks.list_webhook_deliveries, webhook_id=hook.id, limit=1)
print(json.dumps([
    len(tickets) == len(set(tickets)) > 2, len(activity) == len(set(activity)) > 5,
    [one.message for one in messages], sorted(one.title for one in news),
    len({one.name for one in files}), [one.server for one in states], len({one.id for one in deliveries}),
]))`;
    const [tickets, activity, ...others] = (await answerOf(program)) as unknown[];
    expect([tickets, activity]).to.deep.equal([true, true]);
    const titles = ['First', 'Second', 'Third'];
    expect(others).to.deep.equal([['1', '2', '3'], titles, 2_100, ['a1b2c3d4', 'b2', 'c3'], 3]);
  });

  it('waits for a backup, and uploads files', async () => {
    const backups = service.panel.backups.set('a1b2c3d4', []).get('a1b2c3d4');
    const waiting = answerOf(`
backup = Gamehost().wait_for_backup(server_identifier="a1b2c3d4", backup_uuid="${uuid}", timeout=1)
print(json.dumps(backup.is_successful))`);
    backups?.push(panelBackup({ uuid, completed_at: null, is_successful: false }));
    setTimeout(() => service.panel.backups.set('a1b2c3d4', [panelBackup({ uuid })]), 2_000);
    expect(await waiting).to.equal(true);
    await answerOf(`
upload = Gamehost().upload_file
upload(server_identifier="a1b2c3d4", directory="/plugins", name="new.jar", data=bytes(range(256)))
print("null")`);
    const uploaded = service.panel.filesOf(server).get('/plugins/new.jar')?.content;
    expect(uploaded?.equals(Buffer.from(Array.from({ length: 256 }, (_, index) => index)))).to.equal(true);
  });

  it('verifies webhooks of the last five minutes by their secret', async () => {
    const secret = `whsec_${Buffer.from('a secret of 24 characters').toString('base64')}`;
    const body = JSON.stringify({ type: 'ticket.replied', timestamp: '2026-11-21T09:30:00Z', data: {} });
    const verify = (secondsAgo: number, sent = body) => {
      const at = new Date(Date.now() - secondsAgo * 1_000);
      const headers = {
        'Webhook-Id': 'evt_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': `v1,${btoa('another')} ${new Webhook(secret).sign('evt_1', at, body)}`,
      };
      const given = [secret, headers, sent].map((value) => JSON.stringify(value)).join(', ');
      return refusalOf(`print(json.dumps(verify_webhook(${given})["type"]))`);
    };
    expect(await verify(290)).to.equal('ticket.replied');
    for (const refused of [verify(310), verify(-310), verify(0, `${body} `)])
      expect(await refused).to.include({ code: 'invalid_webhook', status: null });
    // Anyone can sign with the empty secret of a variable that is not set.
    for (const empty of ['', 'whsec_', '!!!']) {
      const forged = `whsec, at = "${empty}", str(int(__import__("time").time()))
    mac = __import__("hmac").digest(b"", f"m.{at}.{{}}".encode(), "sha256")
    headers = {"webhook-id": "m", "webhook-timestamp": at}
    headers["webhook-signature"] = "v1," + __import__("base64").b64encode(mac).decode()
    print(json.dumps(verify_webhook(whsec, headers, "{}")))`;
      expect(await refusalOf(forged)).to.include({ code: 'invalid_webhook' });
    }
    const bare = await refusalOf(`verify_webhook("${secret}", {}, b"{}")`);
    expect(bare).to.have.property('message', 'The event is not valid: it has no webhook-timestamp');
  });

  it('passes mypy --strict, which finds wrong names and types in programs', async () => {
    const check = (...args: string[]) => python.run('mypy', ['--strict', ...args]);
    await check('--package', 'gamehost');
    const program = (line: string) => `from gamehost import Gamehost\n\ngamehost = Gamehost()\n${line}\n`;
    await python.write(
      'right.py',
      program(`
for ticket in gamehost.paginate(gamehost.tickets.list_my_tickets, status="New"):
    subject: str = ticket.subject
for name in [server.name for server in gamehost.servers.list_my_servers().servers]:
    print(name.upper())`),
    );
    await check('right.py');
    const wrong = [
      'gamehost.servers.get_server(server="a1b2c3d4")',
      'gamehost.servers.set_server_power(server_identifier="a1b2c3d4", signal="explode")',
      'gamehost.account.get_my_profile().user.mail',
      'next(gamehost.paginate(gamehost.tickets.list_my_tickets)).title',
      'gamehost.paginate(gamehost.tickets.list_my_tickets, sort="asc")',
      'gamehost.paginate(gamehost.servers.list_my_servers)',
    ];
    await python.write('wrong.py', program(wrong.join('\n')));
    const found = (await failureOf(check('wrong.py'))) as Error & { stdout: string };
    for (const index of wrong.keys()) expect(found.stdout).to.include(`wrong.py:${index + 4}: error`);
  });

  it("runs each sample of its README and of the guide's clients, and they pass mypy --strict", async () => {
    const readme = await readDocument('bridge/client/python/README.md');
    const guide = await (await fetch(`${demo.url}/api/v1/docs/clients.md`)).text();
    const samples = samplesOf(readme + guide, 'python');
    expect(samples).to.have.lengthOf(7);
    const env = { GAMEHOST_URL: demo.url, GAMEHOST_KEY: demo.key ?? '' };
    for (const [index, sample] of samples.entries()) {
      await python.write(`sample${index}.py`, sample);
      await python.run('mypy', ['--strict', `sample${index}.py`]);
      await python.run('python', [`sample${index}.py`], env);
    }
  });

  it('says what its build needs on a machine without Python', async () => {
    const build = run(process.execPath, ['--import', 'tsx', 'server/build/python.ts'], { env: { PATH: '' } });
    const { stderr } = (await failureOf(build)) as Error & { stderr: string };
    expect(stderr).to.equal('The Python package needs python3 (3.11 or newer) with venv, and PyPI\n');
  });
});
