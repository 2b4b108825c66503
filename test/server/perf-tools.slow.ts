/** The benchmark and the soak see what they are there to see; nightly tests run them from end to end. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { processMicroseconds } from '../perf/bench/machine.ts';
import { withSection } from '../perf/bench/results.ts';
import type { Reading } from '../perf/soak/readings.ts';
import { problemsOf } from '../perf/soak/verdict.ts';

const projectDir = fileURLToPath(new URL('../../', import.meta.url));

describe('npm run bench', () => {
  it('refuses a part that it does not know and names those it does', async () => {
    const main = ['--import', 'tsx', 'test/perf/bench/main.ts'];
    const { code, stderr } = await promisify(execFile)(process.execPath, [...main, '--parts', 'memory'], {
      cwd: projectDir,
    }).catch((failure) => failure);
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

describe('npm run soak fails for', () => {
  const reading: Reading = {
    rssMegabytes: 200,
    heapMegabytes: 80,
    externalMegabytes: 10,
    nativeMegabytes: 70,
    ...{ lagP50Ms: 10, lagP99Ms: 12, sockets: 40 },
  };
  const evidence = { middle: reading, end: reading, afterwards: reading, unexpected: {} };
  const allWell = { ...evidence, complaints: '', exitCode: 0 };
  const growthMax = 12;

  it('no run without a problem', () => {
    const end = { ...reading, heapMegabytes: 80 + growthMax, rssMegabytes: 400 };
    expect(problemsOf({ ...allWell, end }, growthMax)).to.deep.equal([]);
  });

  it('an answer that should not have come', () => {
    const unexpected = { 'me, rest: 500 {}': 2 };
    expect(problemsOf({ ...allWell, unexpected }, growthMax)).to.deep.equal(['2 x me, rest: 500 {}']);
  });

  it('memory that grows, on the heap or beside it', () => {
    const end = { ...reading, heapMegabytes: 100, nativeMegabytes: 100 };
    expect(problemsOf({ ...allWell, end }, growthMax)).to.deep.equal([
      'the heap grew by 20 MB in the second half',
      'memory beside the heap grew by 30 MB in the second half',
    ]);
  });

  it('connections that stay, complaints, and an exit that is none', () => {
    const afterwards = { ...reading, sockets: 400 };
    const bad = { ...allWell, afterwards, complaints: 'Redis is unavailable', exitCode: null };
    expect(problemsOf(bad, growthMax)).to.deep.equal([
      '400 sockets were left open',
      'the service complained: Redis is unavailable',
      'the exit code was null',
    ]);
  });
});
