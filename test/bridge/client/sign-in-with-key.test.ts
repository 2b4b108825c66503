/** gamehost login with an API key, against a host that has no sign-in by browser. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { aTerminal, ended, openGamehostCommand } from '../../support/gamehost-command.ts';
import { useCustomer } from '../../support/use-key.ts';
import { useForEach } from '../../support/use-started.ts';

describe('gamehost login --key -', () => {
  const hosted = useCustomer();
  const command = useForEach(openGamehostCommand);

  const logIn = (stdin: string, key = '-') =>
    command.run(['login', '--url', hosted.url, '--key', key], { stdin });

  it('keeps a key from standard input that the host accepts, and commands send it', async () => {
    const { code, stdout, stderr } = await logIn(`${hosted.key}\nnot the key\n`);
    expect({ code, stdout, stderr }).to.deep.equal({
      ...{ code: 0, stdout: '' },
      stderr: `You are signed in to ${hosted.url}.\n`,
    });
    const shown = JSON.parse((await command.run(['whoami'])).stdout);
    expect(shown).to.include({ host: hosted.url, credential: 'key' });
    expect(shown.user.email).to.equal(hosted.user.email);
  });

  it('shows nothing of a key that is typed at a terminal', async () => {
    const child = command.start(['login', '--url', hosted.url, '--key', '-'], { through: aTerminal });
    child.stdout.once('data', () => child.stdin.write(`${hosted.key}\n`));
    const { code, stdout } = await ended(child);
    expect(stdout)
      .to.match(/^API key for http.*: \r?\n+You are signed in/)
      .and.not.include(hosted.key);
    expect(code).to.equal(0);
  });

  it('3: does not keep a key that the host refuses', async () => {
    const { code, stderr } = await logIn('gamehost_live_wrong');
    expect(code).to.equal(3);
    expect(stderr).to.include('error: API key malformed');
    expect((await command.run(['whoami'])).code).to.equal(3);
  });

  it('2: refuses a key as an argument, and says why', async () => {
    const key = 'gamehost_live_an_argument';
    const { code, stderr } = await logIn('', key);
    expect(code).to.equal(2);
    expect(stderr).to.include('A key is never an argument').and.not.include(key);
  });

  it('2: refuses plain HTTP to another machine', async () => {
    const { code, stderr } = await command.run(['login', '--url', 'http://games.example', '--key', '-']);
    expect(code).to.equal(2);
    expect(stderr).to.equal('error: --url must begin with https://, except for this machine\n');
  });

  it('is proposed by a host without a sign-in by browser', async () => {
    const { code, stderr } = await command.run(['login', '--url', hosted.url]);
    expect(code).to.equal(1);
    expect(stderr).to.include('gamehost login --key -');
  });

  it('yields to the key in GAMEHOST_KEY, even one that may not read the account', async () => {
    await logIn(hosted.key);
    const { secret } = await hosted.addKey({ scopes: ['read:catalog'] });
    const { stdout } = await command.run(['whoami'], { env: { GAMEHOST_KEY: secret } });
    expect(JSON.parse(stdout)).to.include({ credential: 'GAMEHOST_KEY', user: null });
  });

  it('is undone by logout, which leaves the key valid and keeps the host for the next login', async () => {
    await logIn(hosted.key);
    const { code, stderr } = await command.run(['logout']);
    expect(code).to.equal(0);
    expect(stderr).to.include('It stays valid');
    expect(await readFile(command.signInsPath, 'utf8')).to.not.include(hosted.key);
    expect((await hosted.call('GET', '/key', { key: hosted.key })).status).to.equal(200);
    expect((await command.run(['login', '--key', '-'], { stdin: hosted.key })).code).to.equal(0);
  });
});
