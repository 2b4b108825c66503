/** The benchmark works from end to end; no test judges speed. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const tiny = '--rounds 1 --seconds 5 --warm-up 2 --customers 200 --from-source --only me create';

describe('npm run bench', () => {
  it('measures the service next to its peers and prints a table', async () => {
    const args = ['--import', 'tsx', 'test/perf/bench/main.ts', ...tiny.split(' ')];
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
    for (const work of ['GET /me', 'POST /tickets'])
      for (const against of ['Fastify, native driver', 'Fastify, our models', 'ours'])
        expect(stdout).to.match(rowOf(work, against));
  });
});

/** Columns: work, ours, peer, two for CPU time, two for requests a second, and leads. */
const rowOf = (work: string, against: string) =>
  new RegExp(`\\| ${work} +\\| ours[^|]*\\| ${against} +(\\| [1-9]\\d* +){4}\\| [\\d.]+ \\(`);
