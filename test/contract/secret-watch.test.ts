/** The watch for secrets guards every test run: it finds readable secrets anywhere, and nothing else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { generateSecret } from '../../models/api-key/secret.ts';
import { runWatch } from '../support/run-watch.ts';
import { SecretWatch } from '../support/secret-watch.ts';
import { startTestService } from '../support/service.ts';

/** Not a key, so that the watch over this very run ignores it. */
const token = 'the-token-of-a-session-which-is-secret';

describe('the watch for secrets', () => {
  let watch: SecretWatch;

  beforeEach(() => {
    watch = new SecretWatch();
    watch.addSecret(token);
  });

  it('knows every key and session that a service under test issues, and scans its log', async () => {
    const before = { ...runWatch.counts };
    const service = await startTestService({ logLevel: 'info' });
    const { user, secret } = await service.addKey();
    await service.models.sessions.open({ user }, new Date());
    await service.call('GET', '/me', { key: secret });
    await service.stop();
    expect(runWatch.counts.secrets - before.secrets).to.equal(2);
    expect(runWatch.counts.lines).to.be.greaterThan(before.lines);
  });

  it('finds a key, issued in this run or not, without repeating it', () => {
    const key = generateSecret();
    watch.scanner('a log')(`{"msg": "called with ${key}"}\n`);
    expect(watch.leaks).to.deep.equal(['a log: {"msg": "called with [...]"}']);
  });

  it('finds a part of a secret split over two chunks without a line break', () => {
    const key = generateSecret();
    watch.addSecret(key);
    const scan = watch.scanner('a log');
    for (const piece of [token.slice(0, 10), token.slice(10, 18), '\n', key.slice(25, 41)]) scan(piece);
    watch.flush();
    expect(watch.leaks).to.deep.equal(['a log: [...]', 'a log: [...]']);
  });

  it('allows prefixes, ids and hashes', () => {
    watch.scanner('a log')(
      `${generateSecret().slice(0, 20)} 0b9c3e2a-58e2-4b55-9d6e-2f8f5a1c7e11 gamehost_live_nonsense\n`,
    );
    watch.flush();
    expect(watch.leaks).to.deep.equal([]);
  });

  const run = async (program: string, ...args: string[]) => {
    const child = spawn(process.execPath, ['-e', program, ...args]);
    watch.scanProcess(child);
    const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
    watch.flush();
    return output;
  };

  /** A program that prints a text which is not among its own arguments. */
  const printing = (line: string) =>
    `console.log([...${JSON.stringify([...line].reverse().join(''))}].reverse().join(''))`;

  it('scans what a process prints and passes it on to its reader', async () => {
    expect(await run(printing(token))).to.equal(`${token}\n`);
    expect(watch.leaks).to.deep.equal(['the output of a process: [...]']);
  });

  it('finds a secret among the arguments of a process', async () => {
    await run('', token);
    expect(watch.leaks).to.have.lengthOf(1);
    expect(watch.leaks[0]).to.match(/^the arguments of a process: /);
  });

  it('allows a first start to show a key once, and finds it from then on', async () => {
    const announced = generateSecret();
    await run(printing(`  Key          ${announced}`));
    expect(watch.leaks).to.deep.equal([]);
    watch.scanner('a log')(`${announced}\n`);
    expect(watch.leaks).to.deep.equal(['a log: [...]']);
  });

  it('allows `key issue` to print a key, and no other command', async () => {
    const key = generateSecret();
    for (const command of ['cli.ts key issue --json', 'cli.ts key list --json']) {
      const stdout = Readable.from([]);
      watch.scanProcess({
        spawnargs: command.split(' '),
        stdout,
        stderr: null,
      } as unknown as ChildProcess); // The watch reads only these fields.
      stdout.push(`  "key": "${key}"\n`);
    }
    expect(watch.leaks).to.deep.equal(['the output of a process:   "key": "[...]"']);
  });
});
