/** How a failed command ends: its exit code, and what it prints. */
import { createServer } from 'node:http';
import { expect } from 'chai';
import { openGamehostCommand } from '../../support/gamehost-command.ts';
import { listenLocally } from '../../support/local-server.ts';
import { useCustomer } from '../../support/use-key.ts';
import { useStarted } from '../../support/use-started.ts';

describe('a command that fails', () => {
  const hosted = useCustomer();
  const command = useStarted(openGamehostCommand);

  const run = (args: string[], env: NodeJS.ProcessEnv) =>
    command.run(args, { env: { GAMEHOST_URL: hosted.url, ...env } });

  it('1: the API refuses, with its message and the id of the request', async () => {
    const { secret } = await hosted.addKey({ scopes: ['read:catalog'] });
    const { code, stdout, stderr } = await run(['account', 'getMyProfile'], { GAMEHOST_KEY: secret });
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.match(/^error: This key lacks the scope read:account: .+ \(request [0-9a-f]{32}\)\n$/);
  });

  it('1: the host is away', async () => {
    const { code, stderr } = await run(['whoami'], { GAMEHOST_URL: 'http://127.0.0.1:9', GAMEHOST_KEY: 'k' });
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: 'error: 127.0.0.1:9 could not be reached\n' });
  });

  it('1: the answer is of something before the host, such as a page that it is away', async () => {
    const away = createServer((_, response) => response.writeHead(500).end('<h1>Away</h1>'));
    const host = await listenLocally(away);
    const { code, stderr } = await run(['whoami'], { GAMEHOST_URL: host.url, GAMEHOST_KEY: 'k' });
    await host.stop();
    expect(code).to.equal(1);
    expect(stderr).to.match(/answered with status 500, but not as this API\. Try again later\n$/);
  });

  it('2: the command is used wrongly', async () => {
    for (const args of [['nonsense'], ['whoami', '--nonsense'], ['account', 'nonsense'], ['completion']]) {
      const { code, stderr } = await run(args, { GAMEHOST_KEY: hosted.key });
      expect(code, args.join(' ')).to.equal(2);
      expect(stderr).to.match(/^error: (unknown|missing) [^\n]+\n$/);
    }
    const { code, stderr } = await run(['whoami'], { GAMEHOST_URL: 'games.example' });
    expect(code).to.equal(2);
    expect(stderr).to.include('error: GAMEHOST_URL must be a URL');
  });

  it('3: there is no sign-in, or the API does not accept it', async () => {
    for (const env of [{ GAMEHOST_URL: '' }, {}, { GAMEHOST_KEY: 'gamehost_live_wrong' }]) {
      const { code, stderr } = await run(['whoami'], env);
      expect(code).to.equal(3);
      expect(stderr).to.match(/^error: .+ "?gamehost login/s);
    }
  });

  it('prints the error as JSON with --json', async () => {
    const { code, stdout, stderr } = await run(['whoami', '--json'], { GAMEHOST_KEY: 'gamehost_live_wrong' });
    const { error } = JSON.parse(stderr);
    expect({ code, stdout }).to.deep.equal({ code: 3, stdout: '' });
    expect(error).to.include({ code: 'unauthorized', status: 401 });
    expect(error.message).to.include('API key malformed');
    expect(error.request_id).to.match(/^[0-9a-f]{32}$/);
    const wrongUse = await run(['whoami', '--nonsense', '--json'], {});
    const expected = { code: 'wrong_use', status: null, request_id: null };
    expect(JSON.parse(wrongUse.stderr).error).to.include(expected);
  });

  it('prints no control characters that a host sends', async () => {
    const message = '\u001b]0;a title\u0007\u001b[2J';
    const answer = JSON.stringify({ error: { code: 'not_found', message } });
    const host = await listenLocally(createServer((_, response) => response.writeHead(404).end(answer)));
    const { stderr } = await run(['whoami'], { GAMEHOST_URL: host.url, GAMEHOST_KEY: 'k' });
    await host.stop();
    expect(stderr)
      .to.include('a title')
      .and.not.match(/(?!\n)\p{Cc}/u);
  });

  it('0: shows its help', async () => {
    const { code, stdout, stderr } = await run(['--help'], {});
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.include('login').and.include('servers');
  });
});
