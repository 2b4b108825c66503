/** npm start prints how to get in, keeps its data, and stops completely. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { findRunningEmbedded } from '../../server/database.ts';
import { builtPrograms } from '../support/built-programs.ts';
import { useDirectory } from '../support/directory.ts';
import { describeServer } from '../support/embedded.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { runProgram, startProgram } from '../support/program.ts';

const run = promisify(execFile);

describe('npm start', () => {
  const folder = useDirectory();

  const me = async (url: string, key: string) => {
    const response = await fetch(`${url}/api/v1/me`, { headers: { 'X-API-Key': key } });
    return (await response.json()) as { user?: { email: string } };
  };

  it('prints its addresses, seeds demo data once, keeps it, and leaves no mongod running', async () => {
    const first = await startProgram({ DATA_DIR: folder.path });
    const key = first.key ?? '';
    expect(first.output())
      .to.match(/E-mail +demo@example.com/)
      .and.match(/Password +\S+/)
      .and.include(`  Try: curl -H "Authorization: Bearer ${key}" ${first.url}/api/v1/me\n`)
      .and.match(/LOG_LEVEL=warn npm start.*\n\n$/);
    expect((await me(first.url, key)).user?.email).to.equal('demo@example.com');
    expect(await first.stop('SIGTERM')).to.equal(0);
    expect(await mongodsOn(folder.path)).to.equal('');

    const second = await startProgram({ DATA_DIR: folder.path });
    expect(second.key, 'the key is shown once').to.equal(null);
    expect(second.output(), 'how to get another').to.match(
      /Another key: npm run -s cli -- key issue --email /,
    );
    expect(second.output()).not.to.match(/deprecat|Warning/);
    expect((await me(second.url, key)).user?.email).to.equal('demo@example.com');
    expect(await second.stop('SIGINT')).to.equal(0);
    expect(await mongodsOn(folder.path)).to.equal('');
  });

  it('stops when npm is stopped, which signals only its shell', async () => {
    const program = await startProgram(
      { DATA_DIR: folder.path, npm_lifecycle_event: 'start' },
      `node ${await builtPrograms()}main.js; true`,
    );
    await program.stop('SIGTERM');
    expect(program.output()).to.match(/Stopped\.\s*$/);
    expect(await mongodsOn(folder.path)).to.equal('');
  });

  it('reports that its MongoDB was killed and exits with 1, and the next start has the data', async () => {
    const killed = await startProgram({ DATA_DIR: folder.path });
    process.kill((await describeServer((await findRunningEmbedded(folder.path)) ?? '')).pid, 'SIGKILL');
    expect(await killed.end()).to.equal(1);
    expect(killed.output()).to.include('The embedded MongoDB exited unexpectedly');
    const next = await startProgram({ DATA_DIR: folder.path });
    expect(next.output()).to.include('Another key: ');
    expect(await next.stop()).to.equal(0);
  });
});

describe('server/start.sh', () => {
  const folder = useDirectory();

  it('runs node in its own process with the given options, and node receives SIGTERM', async () => {
    await mkdir(join(folder.path, 'server'));
    await copyFile('server/start.sh', join(folder.path, 'server/start.sh'));
    await symlink(join(await builtPrograms(), '..'), join(folder.path, 'dist'), 'dir');
    await writeFile(join(folder.path, 'env'), `HOST_NAME='Hosting by script'\n`);
    const program = await startProgram(
      { MONGODB_URI: testDatabaseUri() },
      `exec ${folder.path}/server/start.sh --env-file=${folder.path}/env`,
    );
    expect(await readFile(`/proc/${program.pid}/cmdline`, 'utf8')).to.match(
      /^node\0--enable-source-maps\0--max-old-space-size=\d+\0.*\/dist\/server\/main\.js\0$/s,
    );
    expect(await (await fetch(`${program.url}/account`)).text()).to.include('Hosting by script');
    expect(await program.stop('SIGTERM')).to.equal(0);
  });
});

describe('npm start with a setting that fails only when it is used', () => {
  const folder = useDirectory();
  const refused: [what: string, settings: () => Record<string, string>, line: RegExp][] = [
    ['HOST', () => ({ HOST: '192.0.2.1' }), /^HOST is not an address of this machine \(.*192\.0\.2\.1/],
    [
      'METRICS_HOST',
      () => ({ METRICS_HOST: 'nowhere.invalid', METRICS_PORT: '0' }),
      /^METRICS_HOST is not an address of this machine \(/,
    ],
    [
      'DATA_DIR',
      () => ({ MONGODB_URI: '', DATA_DIR: join(folder.path, 'file') }),
      /^DATA_DIR must be a directory that this user may write to: ENOTDIR: not a directory/,
    ],
  ];
  for (const [what, settings, line] of refused)
    it(`exits with 1 and one line that names ${what}`, async () => {
      await writeFile(join(folder.path, 'file'), '');
      const given = { MONGODB_URI: testDatabaseUri(), PORT: '0', LOG_LEVEL: 'silent', ...settings() };
      const { code, output } = await runProgram(given);
      expect(output.trimEnd().split('\n')).to.have.lengthOf(1);
      expect(output).to.match(line);
      expect(code).to.equal(1);
    });
});

const mongodsOn = async (dataDir: string) =>
  (await run('/bin/sh', ['-c', `ps -eo args | grep -F 'dbpath ${dataDir}' | grep -v grep || true`])).stdout;
