/** The benchmark and the soak work from end to end; how fast anything is, no test judges. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const projectDir = fileURLToPath(new URL('../../', import.meta.url));

const tiny = '--rounds 1 --seconds 5 --warm-up 32 --keys 32 --from-source';
const chosen = '--parts many --only me,create --against fastify,trpc-handler';
const short = '--minutes 0.07 --rate 40 --keys 20 --every 2 --growth 1000 --from-source';

const run = (program: string, args: string) =>
  promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', `test/perf/${program}/main.ts`, ...args.split(' ')],
    {
      cwd: projectDir,
    },
  );

describe('npm run bench', () => {
  let dir: string;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gamehost-bench-smoke-'));
  });

  after(() => rm(dir, { recursive: true }));

  it('measures the service beside its peers, which give the same answers, and writes the tables down', async () => {
    const out = join(dir, 'results.md');
    const { stdout } = await run('bench', `${tiny} ${chosen} --out ${out}`);
    const results = await readFile(out, 'utf8');
    for (const work of ['GET /me', 'POST /tickets']) {
      expect(results).to.match(rowOf(work, 'ours', 'Fastify, native driver'));
      expect(results).to.match(rowOf(work, 'ours, tRPC', "tRPC's handler, our store"));
      expect(results).to.match(rowOf(work, 'ours, MCP', 'ours'));
    }
    expect(results).to.match(/\| ours, 2 +\| \d+ +\| \d+ /);
    expect(stdout).to.contain('At many connections').and.to.contain('MB after load');
  });
});

describe('npm run soak', () => {
  it('calls in all protocols, shows figures, and finds nothing wrong', async () => {
    const { stdout } = await run('soak', short);
    expect(stdout).to.match(/seconds +requests +unexpected/);
    expect(stdout).to.match(/Requests: \d{3}, \d+ a second; unexpected answers: 0\n/);
    expect(stdout).to.match(/Answers: \d+ x 200, \d+ x 201, \d+ x 202, \d+ x 401\n/);
    expect(stdout).to.match(/ heap \d+\.\d, \d+\.\d, \d+\.\d MB\n/);
    expect(stdout).to.match(/It held\.\s*$/);
  });
});

/** Work, ours, peer, two figures of CPU time, two of requests a second and how busy the load was, all of them counted. */
const rowOf = (work: string, subject: string, peer: string) =>
  new RegExp(
    `\\| ${work} +\\| ${subject} +\\| ${peer} +(\\| [1-9]\\d* +){4}(\\| \\d+ % +){2}\\| [\\d.]+ \\(`,
  );
