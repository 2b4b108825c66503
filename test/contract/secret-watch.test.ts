/** The watch that guards every run of the tests finds what it is there for, and nothing else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { generateSecret } from '../../models/key-format.ts';
import { runWatch } from '../support/run-watch.ts';
import { SecretWatch } from '../support/secret-watch.ts';

/** No key, so that the watch over this very run does not mind it. */
const token = 'a-token-of-a-session-that-nobody-may-read';

describe('the watch for secrets', () => {
  let watch: SecretWatch;

  beforeEach(() => {
    watch = new SecretWatch();
    watch.keep(token);
  });

  it('knows every secret of this run, and hears all of it', () => {
    expect(runWatch.heard.lines).to.be.greaterThan(0);
  });

  it('finds a key, whether it knew of it or not, and does not repeat it', () => {
    const key = generateSecret();
    watch.listenTo('a log')(`{"msg": "called with ${key}"}\n`);
    expect(watch.leaks).to.deep.equal(['a log: {"msg": "called with [...]"}']);
  });

  it('finds a part of a secret, over the edge of two pieces and without an end of line', () => {
    const key = generateSecret();
    watch.keep(key);
    const listen = watch.listenTo('a log');
    for (const piece of [token.slice(0, 10), token.slice(10, 18), '\n', key.slice(25, 41)]) listen(piece);
    watch.end();
    expect(watch.leaks).to.deep.equal(['a log: [...]', 'a log: [...]']);
  });

  it('takes no offence at what may be shown: prefixes, ids, hashes', () => {
    watch.listenTo('a log')(
      `${generateSecret().slice(0, 20)} 0b9c3e2a-58e2-4b55-9d6e-2f8f5a1c7e11 gamehost_live_nonsense\n`,
    );
    watch.end();
    expect(watch.leaks).to.deep.equal([]);
  });

  const run = async (program: string, ...args: string[]) => {
    const child = spawn(process.execPath, ['-e', program, ...args]);
    watch.listenToProcess(child);
    const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
    watch.end();
    return output;
  };

  /** A program that prints a text which does not stand in its own arguments. */
  const printing = (line: string) =>
    `console.log([...${JSON.stringify([...line].reverse().join(''))}].reverse().join(''))`;

  it('hears what a process prints, and takes nothing of it away', async () => {
    expect(await run(printing(token))).to.equal(`${token}\n`);
    expect(watch.leaks).to.deep.equal(['the output of a process: [...]']);
  });

  it('finds a secret among the arguments of a process', async () => {
    await run('', token);
    expect(watch.leaks).to.have.lengthOf(1);
    expect(watch.leaks[0]).to.match(/^the arguments of a process: /);
  });

  it('lets a start show a key this once, and knows it from then on', async () => {
    const announced = generateSecret();
    await run(printing(`  Key          ${announced}`));
    expect(watch.leaks).to.deep.equal([]);
    watch.listenTo('a log')(`${announced}\n`);
    expect(watch.leaks).to.deep.equal(['a log: [...]']);
  });

  it('lets `key issue` print a key, and no other command', async () => {
    const key = generateSecret();
    for (const command of ['cli.ts key issue --json', 'cli.ts key list --json']) {
      const stdout = Readable.from([]);
      watch.listenToProcess({
        spawnargs: command.split(' '),
        stdout,
        stderr: null,
      } as unknown as ChildProcess); // all that is read of one
      stdout.push(`  "key": "${key}"\n`);
    }
    expect(watch.leaks).to.deep.equal(['the output of a process:   "key": "[...]"']);
  });
});
