/** The soak works from end to end and sees what it is there to see; a few seconds judge neither time nor memory. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Reading } from '../perf/soak/readings.ts';
import { problemsOf } from '../perf/soak/verdict.ts';

const run = promisify(execFile);
const projectDir = fileURLToPath(new URL('../../', import.meta.url));
const short = '--minutes 0.07 --rate 40 --keys 20 --every 2 --growth 1000 --from-source';

describe('npm run soak', () => {
  it('calls in all protocols, shows figures, and finds nothing wrong', async () => {
    const args = ['--import', 'tsx', 'test/perf/soak/main.ts', ...short.split(' ')];
    const { stdout } = await run(process.execPath, args, { cwd: projectDir });
    expect(stdout).to.match(/seconds +requests +unexpected/);
    expect(stdout).to.match(/Requests: \d{3}, \d+ a second; unexpected answers: 0\n/);
    expect(stdout).to.match(/Answers: \d+ x 200, \d+ x 201, \d+ x 202, \d+ x 401\n/);
    expect(stdout).to.match(/ heap \d+\.\d, \d+\.\d, \d+\.\d MB\n/);
    expect(stdout).to.match(/It held\.\s*$/);
  });

  describe('fails for', () => {
    const reading: Reading = {
      rssMegabytes: 200,
      heapMegabytes: 80,
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
});
