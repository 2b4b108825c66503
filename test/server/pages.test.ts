/** A service that was compiled without its pages says so at the start, and what to do. */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);
const projectDir = fileURLToPath(new URL('../..', import.meta.url));

describe('a service that only tsc has built', function () {
  this.timeout(60_000);
  let dir: string;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gamehost-pages-'));
    const tsc = join(projectDir, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, '--noCheck', '--outDir', join(dir, 'dist')], { cwd: projectDir });
    await symlink(join(projectDir, 'node_modules'), join(dir, 'node_modules'), 'dir');
    await copyFile(join(projectDir, 'package.json'), join(dir, 'package.json'));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  it('does not start, and says in one line what to run', async () => {
    const starting = run(process.execPath, ['dist/server/main.js'], { cwd: dir, env: { PORT: '0' } });
    const { code, stderr } = await starting.then(
      () => ({ code: 0, stderr: '' }),
      (failure: { code: number; stderr: string }) => failure,
    );
    expect(code).to.equal(1);
    expect(stderr).to.match(/^No page was built in \S+\/page\/\. Run npm run build: .+\n$/);
  });
});
