/** The command gamehost at a terminal: tables and fields for a person, and questions before it destroys something. */
import { expect } from 'chai';
import { startFaultyHost } from '../../support/faulty-host.ts';
import { aTerminal, ended, openGamehostCommand } from '../../support/gamehost-command.ts';
import { useCustomer } from '../../support/use-key.ts';
import { useStarted } from '../../support/use-started.ts';

describe('a command of gamehost at a terminal', () => {
  const service = useCustomer({ rateLimitPerMinute: 1_000_000 });
  const host = useStarted(() => startFaultyHost(service.url));
  const elsewhere = useStarted(() => startFaultyHost());
  const command = useStarted(openGamehostCommand);

  // Node sees no terminal with color in CI.
  const terminal = { TERM: 'xterm', NO_COLOR: '1', TZ: 'Asia/Tokyo', CI: undefined };
  const start = (line: string, env: NodeJS.ProcessEnv = {}) =>
    command.start(line.split(' '), {
      env: { ...{ GAMEHOST_URL: host.url, GAMEHOST_KEY: service.key }, ...terminal, ...env },
      through: aTerminal,
    });
  /** The lines of its output, to which a terminal also adds those of stderr. */
  async function show(line: string, env?: NodeJS.ProcessEnv) {
    const { stdout } = await ended(start(line, env));
    return stdout.replaceAll('\r\n', '\n').split('\n');
  }
  const showAnswer = (body: object, env?: NodeJS.ProcessEnv) => {
    host.answerNext({ status: 200, body: JSON.stringify(body) });
    return show('tickets list', env);
  };

  before(() => show('tickets list')); // keeps the description

  it('shows a list as a table, with dates in local time, and the option for the next page', async () => {
    const ticket = { status: 'New', created_at: '2026-11-29T05:05:00.000Z', note: null };
    const tickets = [
      { id: 12, subject: 'Lag', ...ticket },
      { id: 3, subject: '日本', ...ticket },
    ];
    host.answerNext({ status: 200, body: JSON.stringify({ tickets }) });
    expect(await show('tickets list --limit 2')).to.deep.equal([
      'id  subject  status  created_at',
      '12  Lag      New     2026-11-29 14:05',
      '3   日本     New     2026-11-29 14:05',
      'There is more: add --before 3',
      '',
    ]);
    expect(await showAnswer({ tickets: [] })).to.deep.equal(['None.', '']);
  });

  it('breaks long texts between words, and shows them whole', async () => {
    const message = `Open the server in the panel, choose Users, and invite them by ${'e'.repeat(80)}.`;
    const lines = await showAnswer({
      ticket: { id: 1 },
      messages: [{ number: 1, name: 'Support', message }],
    });
    const cells = lines.slice(lines.indexOf('messages') + 2, -1).map((line) => line.slice(17));
    expect(cells[0]).to.equal('Open the server in the panel, choose Users, and invite them by');
    expect(cells.join('')).to.equal(message.replace('by e', 'bye'));
    for (const line of lines) expect(line.length).to.be.at.most(80);
  });

  it('fits a table to the width, and names the fields for which there is no room', async () => {
    const long = 'A long description. '.repeat(10);
    const tickets = [{ id: 12, code: 'c'.repeat(70), subject: long, ...{ text: long, status: 'New' } }];
    const lines = await showAnswer({ tickets });
    expect(lines[0]).to.match(/^id {2}subject +text +status$/);
    expect(lines.at(-2)).to.equal('--json also shows code');
    for (const line of lines) expect(line.length).to.be.at.most(80);
    const webhooks = [{ id: 1, url: 'https://hooks.games.example/gamehost', active: true }];
    expect((await showAnswer({ webhooks }))[0]).to.match(/^id {2}url +active$/);
  });

  it('shows one object as fields, and its lists below', async () => {
    const lists = { tags: ['a', 'b'], ports: [{ port: 1 }] };
    const server = { name: 'Survival', limits: { disk: 10 }, motd: 'two\nlines', ...lists };
    expect(await showAnswer({ server })).to.deep.equal([
      ...['name         Survival', 'limits.disk  10', 'motd         two', '             lines'],
      ...['tags         a, b', '', 'ports', 'port', '1', ''],
    ]);
  });

  it('shows control characters of an answer as text, as JSON too', async () => {
    const name = '\u001b[2J\u009b31m\u202eevil\u0007\r';
    const shown = '\\u001b[2J\\u009b31m\\u202eevil\\u0007';
    host.answerNext({ status: 200, body: JSON.stringify({ server: { name, [name]: 1 }, list: [{ name }] }) });
    const { stdout } = await ended(start('tickets list'));
    expect(stdout.split(shown)).to.have.length(4);
    host.answerNext({ status: 200, body: JSON.stringify({ name }) });
    const json = (await ended(start('tickets list --json'))).stdout;
    expect(JSON.parse(json)).to.deep.equal({ name });
    for (const output of [stdout, json]) expect(output).to.not.match(/(?![\r\n])[\p{Cc}\p{Bidi_Control}]/u);
  });

  it('shows control characters of the description as text, also where a command is missing', async () => {
    const description = '\u001b[2J\u009b31m\u202eevil\u0007';
    const get = { operationId: 'listMods', summary: 'List', description, tags: ['Mods'] };
    const body = { tags: [{ name: 'Mods', description }], paths: { '/mods': { get } }, components: {} };
    for (const line of ['mods', 'mods --help', 'mods list --help']) {
      elsewhere.answerNext({ status: 200, body: JSON.stringify(body) });
      const { stdout } = await ended(start(line, { GAMEHOST_URL: elsewhere.url }));
      expect(stdout).to.include('\\u001b[2J\\u009b31m\\u202eevil\\u0007');
      expect(stdout).to.not.match(/(?![\r\n])[\p{Cc}\p{Bidi_Control}]/u);
    }
  });

  it('uses color only if the person wants it', async () => {
    const tickets = [{ id: 1 }];
    expect((await showAnswer({ tickets }, { NO_COLOR: undefined }))[0]).to.equal('\u001b[1mid\u001b[22m');
    const dumb = { NO_COLOR: undefined, TERM: 'dumb' };
    for (const env of [{}, dumb, { FORCE_COLOR: '1' }, { NO_COLOR: undefined, FORCE_COLOR: '0' }])
      expect((await showAnswer({ tickets }, env))[0]).to.equal('id');
  });

  it('asks before it destroys something, and names it', async () => {
    const answerWith = async (answer: string) => {
      host.answerNext({ status: 200, body: '{"deleted":true}' });
      const child = start('webhooks delete 6b0c3a48 --json');
      child.stdout.once('data', () => child.stdin.write(answer));
      const { code, stdout } = await ended(child);
      return { code, stdout: stdout.split('\r\n'), sent: host.received.length };
    };
    const question = 'Delete one of my webhooks: 6b0c3a48? [y/N] ';
    const agreed = [`${question}y`, '{"deleted":true}', ''];
    expect(await answerWith('y\n')).to.deep.equal({ code: 0, stdout: agreed, sent: 1 });
    const refused = await answerWith('\n');
    expect(refused).to.deep.include({ code: 1, sent: 0 });
    expect(refused.stdout[0]).to.equal(question);
    expect(await answerWith('\u0003')).to.include({ code: 130, sent: 0 });
  });
});
