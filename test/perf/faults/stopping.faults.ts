/** SIGTERM while dozens of clients call over all protocols: no request is dropped, no acknowledged write is lost, and nothing is left behind. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findRunningEmbedded } from '../../../server/database.ts';
import { eventually } from '../../support/eventually.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startProgram } from '../../support/program.ts';
import { addCustomers } from '../customers.ts';
import { record } from './figures.ts';
import { endInOrder } from './verdict.ts';
import { Visitors } from './visitors.ts';

const settings = { RATE_LIMIT_PER_MINUTE: '1000000', TICKETS_PER_DAY: '0' };
/** What the README asks operators to allow. */
const graceMs = 15_000;
const visitorCount = 60;
const answersBefore = 1500;

/** A process and all that came of it. */
const familyOf = (pid: number): number[] => [
  pid,
  ...readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .flatMap((child) => familyOf(Number(child))),
  ),
];

const commandLineOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8');

/** Whether a process is there, and has not ended without its parent having taken note. */
function isAlive(pid: number): boolean {
  try {
    return /^State:\s+[^ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('SIGTERM under load', () => {
  async function visit(url: string, uri: string): Promise<Visitors> {
    const visitors = new Visitors({ url, keys: await addCustomers(uri, visitorCount) });
    await eventually(async () => expect(visitors.answers).to.be.above(answersBefore), 120_000);
    return visitors;
  }

  for (let round = 1; round <= 3; round += 1)
    it(`no request is dropped, all that was acknowledged is stored and audited, exit code 0 (${round})`, async () => {
      const uri = testDatabaseUri();
      const program = await startProgram({ ...settings, MONGODB_URI: uri });
      const visitors = await visit(program.url, uri);
      const startedAt = performance.now();
      const stopping = program.stop('SIGTERM');
      await visitors.stop();
      expect(await stopping).to.equal(0);
      const stopMs = Math.round(performance.now() - startedAt);
      expect(stopMs).to.be.below(graceMs);
      expect(visitors.dropped).to.deep.equal([]);
      const notes = { dropped: 0, answers: visitors.answers, 'stopped after ms': stopMs };
      const fault = `SIGTERM with ${visitorCount} at work (${round})`;
      await endInOrder(fault, { load: visitors, uri, program, notes });
    });

  it('sent to npm leaves neither npm nor node nor mongod behind', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'gamehost-stopping-'));
    const program = await startProgram({ ...settings, DATA_DIR: dataDir }, 'exec npm start');
    const uri = (await findRunningEmbedded(dataDir)) ?? '';
    const visitors = await visit(program.url, uri);
    const family = familyOf(program.pid);
    expect(family.map(commandLineOf).join('\n'))
      .to.match(/dist\/server\/main\.js/)
      .and.match(/mongod/);
    const startedAt = performance.now();
    await Promise.all([program.stop('SIGTERM'), visitors.stop()]);
    const stopMs = Math.round(performance.now() - startedAt);
    expect(stopMs).to.be.below(graceMs);
    expect(visitors.dropped).to.deep.equal([]);
    expect(program.output()).to.match(/Stopped\.\s*$/);
    expect(family.filter(isAlive)).to.deep.equal([]);
    await rm(dataDir, { recursive: true });
    const notes = { 'processes left': 0, answers: visitors.answers, 'stopped after ms': stopMs };
    await record(`SIGTERM to npm with ${visitorCount} at work`, { notes });
  });
});
