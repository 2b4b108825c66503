/** The image's Node.js is newer than the oldest supported one, under which all other tests run. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { installFromNpm } from '../support/client-tools.ts';

const projectDir = fileURLToPath(new URL('../../', import.meta.url));

const contractTests = ['test/contract/*.test.ts', 'test/server/http/{headers,http-server}.test.ts'];

/** The loops over all operations take a minute, or several on a busy machine. */
const timeoutMs = 15 * 60_000;

interface Run {
  code: number;
  output: string;
}

const runMocha = (node: string): Promise<Run> =>
  new Promise((resolve) => {
    // Without the variables that mark a process as a mocha worker.
    const { MOCHA_WORKER_ID, ...env } = process.env;
    const args = ['node_modules/mocha/bin/mocha.js', '--parallel', ...contractTests];
    const options = { cwd: projectDir, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(node, args, options, (failure, stdout, stderr) =>
      resolve({ code: Number(failure?.code ?? 0), output: stdout + stderr }),
    );
  });

describe('the Node.js of the image', () => {
  let node: string;
  let version: string;

  before(async () => {
    const dockerfile = await readFile(`${projectDir}Dockerfile`, 'utf8');
    version = /^FROM node:(\d+\.\d+\.\d+)-/m.exec(dockerfile)?.[1] ?? '';
    const name = `node-${platform()}-${arch()}`;
    const { path } = await installFromNpm('image-runtime', [`${name}@${version}`]);
    node = `${path}node_modules/${name}/bin/node`;
  });

  it('runs the service with all promises of the contract and no header sent twice', async () => {
    const { code, output } = await runMocha(node);
    expect(output)
      .to.match(/^ +[1-9]\d* passing/m)
      .and.not.include('Cannot find any files matching');
    expect(code, output.slice(output.indexOf(' passing'))).to.equal(0);
  }).timeout(timeoutMs);

  it('is the version that the image names, to the patch level', async () => {
    const said = await new Promise((resolve) =>
      execFile(node, ['--version'], (_failure, stdout) => resolve(stdout)),
    );
    expect(said).to.equal(`v${version}\n`);
  });
});
