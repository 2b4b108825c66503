/** The benchmark works from end to end; how fast anything is, no test judges. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { processMicroseconds } from '../perf/bench/machine.ts';
import { withSection } from '../perf/bench/results.ts';

const run = promisify(execFile);
const projectDir = fileURLToPath(new URL('../../', import.meta.url));

const tiny = '--rounds 1 --seconds 1 --warm-up 32 --keys 32 --from-source';
const chosen = '--parts many --only me,create --against fastify,trpc-handler';

describe('npm run bench', () => {
  let dir: string;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gamehost-bench-smoke-'));
  });

  after(() => rm(dir, { recursive: true }));

  it('measures the service beside its peers, which give the same answers, and writes the tables down', async () => {
    const out = join(dir, 'results.md');
    const { stdout } = await benchmark(`${tiny} ${chosen} --out ${out}`);
    const results = await readFile(out, 'utf8');
    for (const work of ['GET /me', 'POST /tickets']) {
      expect(results).to.match(rowOf(work, 'ours', 'Fastify, native driver'));
      expect(results).to.match(rowOf(work, 'ours, tRPC', "tRPC's handler, our store"));
      expect(results).to.match(rowOf(work, 'ours, MCP', 'ours'));
    }
    expect(results).to.match(/\| ours, 2 +\| \d+ +\| \d+ /);
    expect(stdout).to.contain('At many connections').and.to.contain('MB after load');
  });

  it('refuses a part that it does not know and names those it does', async () => {
    const { code, stderr } = await benchmark('--parts memory').catch((failure) => failure);
    expect(code).to.equal(1);
    expect(stderr)
      .to.contain("'memory'")
      .and.to.contain('many, one, redis, growth, webhooks, deployed, start');
  });

  it('puts the figures of a part in the place of its last ones, and leaves those of the others', () => {
    const start = withSection('', 'Start on an existing MongoDB', '800 ms');
    const both = withSection(start, 'At many connections', '171 us');
    expect(withSection(both, 'At many connections', '142 us'))
      .to.match(/## At many connections\n\n142 us\n\n## Start on an existing MongoDB\n\n800 ms\n$/)
      .and.not.to.contain('171 us');
  });

  it('counts the CPU of threads that have ended, such as one for a connection, to their process', async () => {
    const before = processMicroseconds(process.pid);
    const busy = 'const start = process.cpuUsage(); while (process.cpuUsage(start).user < 400_000);';
    await once(new Worker(busy, { eval: true }), 'exit');
    expect(processMicroseconds(process.pid) - before).to.be.above(100_000);
  });
});

const benchmark = (args: string) =>
  run(process.execPath, ['--import', 'tsx', 'test/perf/bench/main.ts', ...args.split(' ')], {
    cwd: projectDir,
  });

/** Work, ours, peer, two figures of CPU time, two of requests a second and how busy the load was, all of them counted. */
const rowOf = (work: string, subject: string, peer: string) =>
  new RegExp(
    `\\| ${work} +\\| ${subject} +\\| ${peer} +(\\| [1-9]\\d* +){4}(\\| \\d+ % +){2}\\| [\\d.]+ \\(`,
  );
