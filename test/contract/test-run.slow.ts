/** Test runs themselves: a leaked secret fails the run, also in parallel, and a hanging test ends. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const projectDir = fileURLToPath(new URL('../../', import.meta.url));

interface Run {
  code: number;
  output: string;
}

/** Runs mocha on fixtures beside a passing one; resolves once it ends and no process holds its output open. */
const runFixtures = (flags: string[], fixture: string): Promise<Run> =>
  new Promise((resolve) => {
    const files = [fixture, 'pass'].map((name) => `test/support/run-fixtures/${name}.fixture.ts`);
    const args = ['node_modules/mocha/bin/mocha.js', ...flags, ...files];
    // Without the variables that mark a process as a mocha worker.
    const { MOCHA_WORKER_ID, ...env } = process.env;
    execFile(process.execPath, args, { cwd: projectDir, env }, (failure, stdout, stderr) =>
      resolve({ code: Number(failure?.code ?? 0), output: stdout + stderr }),
    );
  });

describe('a resource created once for a run', () => {
  it('is created again after a failed attempt', async () => {
    const { code, output } = await runFixtures([], 'rebuild');
    expect(output).to.include('2 passing');
    expect(code).to.equal(0);
  });
});

for (const flags of [[], ['--parallel', '--jobs', '2']])
  describe(`mocha ${flags.join(' ')}`.trim(), () => {
    it('fails when a test prints a secret, and does not repeat it in its report', async () => {
      const { code, output } = await runFixtures(flags, 'leak');
      expect(code).to.be.greaterThan(0);
      expect(output).to.include('2 passing').and.to.include('secrets in readable output');
      expect(output).to.include('what the run prints: session [...]');
    });

    it('reports a test that times out, and ends the processes that it started', async () => {
      const { code, output } = await runFixtures(flags, 'hang');
      expect(code).to.equal(1);
      expect(output).to.include('1 passing').and.to.include('1 failing').and.to.include('Timeout of 100ms');
    });
  });
