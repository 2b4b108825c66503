/** The embedded database among processes: two services on one directory, kills, Ctrl-C; mongod outlives nobody. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { findRunningEmbedded } from '../../server/database.ts';
import { describeServer, EmbeddedTrial, recall, remember } from '../support/embedded.ts';
import { failureOf } from '../support/failure-of.ts';

/** mongod's own watcher may have been quicker. */
const isQuietOr = (line: string) => (said: string[]) => said.every((each) => each === line);

describe('The embedded database among processes', function () {
  this.timeout(40_000);

  let trial: EmbeddedTrial;
  beforeEach(async () => {
    trial = await EmbeddedTrial.begin();
  });
  afterEach(() => trial.end());

  it('data that a living service has open is refused, and that service is not disturbed', async () => {
    const { program, uri } = await trial.openElsewhere();
    await remember(uri, 'undisturbed');
    const failure = await failureOf(trial.open());
    expect(failure.name).to.equal('StartError');
    expect(failure.message).to.equal(
      `The service already runs on the data in ${trial.dataDir} (process ${program.pid}). ` +
        'Stop it, or set DATA_DIR to another directory.',
    );
    expect(await recall(uri)).to.deep.equal(['undisturbed']);
  });

  it('of two starts at the same moment one wins, the other says why, and the winner stays up', async () => {
    const first = await trial.open();
    await remember(first.uri, 'won');
    await first.stop();
    const outcomes = await Promise.allSettled([trial.openElsewhere(), trial.openElsewhere()]);
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(lost).to.have.length(1);
    expect(lost[0]?.reason.message).to.match(/StartError: The service already runs on the data in /);
    expect(await recall((await findRunningEmbedded(trial.dataDir)) ?? '')).to.deep.equal(['won']);
  });

  it('kill -9 of the service: mongod ends by itself', async () => {
    const { program, uri } = await trial.openElsewhere();
    await remember(uri, 'survived');
    program.kill('SIGKILL');
    await trial.mongodEnd();
    expect(await findRunningEmbedded(trial.dataDir)).to.equal(null);
    expect(await recall((await trial.open()).uri)).to.deep.equal(['survived']);
  });

  it('kill -9 of the service: a start that follows at once stops the leftover and has the data', async () => {
    const { program, uri } = await trial.openElsewhere();
    await remember(uri, 'taken over');
    const leftover = await describeServer(uri);
    program.kill('SIGKILL');
    await once(program, 'exit');
    const next = await trial.open();
    expect(trial.said).to.satisfy(isQuietOr('Stopping the MongoDB that a killed service left behind ...'));
    expect(next.uri).to.equal(uri);
    expect((await describeServer(next.uri)).pid).not.to.equal(leftover.pid);
    expect(await recall(next.uri)).to.deep.equal(['taken over']);
  });

  it('kill -9 of mongod itself: it is said, and the next start recovers over the stale lock', async () => {
    const database = await trial.open();
    await remember(database.uri, 'recovered');
    const { pid } = await describeServer(database.uri);
    process.kill(pid, 'SIGKILL');
    while (trial.said.length === 0) await delay(20);
    expect(trial.said).to.deep.equal(['The embedded MongoDB ended unexpectedly; start the service again.']);
    await database.stop();
    expect(await readFile(trial.lockPath, 'utf8')).to.equal(`${pid}\n`);
    expect(await recall((await trial.open()).uri)).to.deep.equal(['recovered']);
  });

  it('Ctrl-C, which reaches the whole process group, stops it without noise', async () => {
    const { program, uri, stderr } = await trial.openElsewhere();
    await remember(uri, 'closed well');
    process.kill(-(program.pid ?? Number.NaN), 'SIGINT');
    const [code, signal] = await once(program, 'close');
    expect({ code, signal, stderr: stderr() }).to.deep.equal({ code: 0, signal: null, stderr: '' });
    await trial.mongodEnd();
    expect(await recall((await trial.open()).uri)).to.deep.equal(['closed well']);
  });
});
