/** The embedded MongoDB with two services on one directory, kill -9 and Ctrl-C leaves no mongod running. */
import { once } from 'node:events';
import { expect } from 'chai';
import { findRunningEmbedded } from '../../../server/database.ts';
import { describeServer, readNotes, storeNote, useEmbedded } from '../../support/embedded.ts';
import { failureOf } from '../../support/failure-of.ts';

/** Prints nothing if mongodb-memory-server's own watcher has stopped mongod first. */
const isSilentOr = (line: string) => (progress: string[]) => progress.every((each) => each === line);

describe('the embedded MongoDB and its processes', () => {
  const embedded = useEmbedded();

  it('refuses data that a running service uses, and leaves that service undisturbed', async () => {
    const { program, uri } = await embedded.openElsewhere();
    await storeNote(uri, 'undisturbed');
    const failure = await failureOf(embedded.open());
    expect(failure.name).to.equal('StartError');
    expect(failure.message).to.equal(
      `The service is already running on the data in ${embedded.dataDir} (process ${program.pid}). ` +
        'Stop it, or set DATA_DIR to another directory.',
    );
    expect(await readNotes(uri)).to.deep.equal(['undisturbed']);
  });

  it('lets one of two simultaneous starts succeed and the other fail with the reason', async () => {
    const first = await embedded.open();
    await storeNote(first.uri, 'won');
    await first.stop();
    const outcomes = await Promise.allSettled([embedded.openElsewhere(), embedded.openElsewhere()]);
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(lost).to.have.length(1);
    expect(lost[0]?.reason.message).to.match(/StartError: The service is already running on the data in /);
    expect(await readNotes((await findRunningEmbedded(embedded.dataDir)) ?? '')).to.deep.equal(['won']);
  });

  it('stops mongod after kill -9 of the service', async () => {
    const { program, uri } = await embedded.openElsewhere();
    await storeNote(uri, 'survived');
    program.kill('SIGKILL');
    await embedded.mongodEnd();
    expect(await findRunningEmbedded(embedded.dataDir)).to.equal(null);
    expect(await readNotes((await embedded.open()).uri)).to.deep.equal(['survived']);
  });

  it('stops an orphaned mongod and keeps the data if the service starts right after kill -9', async () => {
    const { program, uri } = await embedded.openElsewhere();
    await storeNote(uri, 'taken over');
    const orphan = await describeServer(uri);
    program.kill('SIGKILL');
    await once(program, 'exit');
    const next = await embedded.open();
    expect(embedded.progress).to.satisfy(
      isSilentOr('Stopping the MongoDB that a killed service left running ...'),
    );
    expect(next.uri).to.equal(uri);
    expect((await describeServer(next.uri)).pid).not.to.equal(orphan.pid);
    expect(await readNotes(next.uri)).to.deep.equal(['taken over']);
  });

  it('stops silently on Ctrl-C, which signals the whole process group', async () => {
    const { program, uri, stderr } = await embedded.openElsewhere();
    await storeNote(uri, 'closed well');
    process.kill(-(program.pid ?? Number.NaN), 'SIGINT');
    const [code, signal] = await once(program, 'close');
    expect({ code, signal, stderr: stderr() }).to.deep.equal({ code: 0, signal: null, stderr: '' });
    await embedded.mongodEnd();
    expect(await readNotes((await embedded.open()).uri)).to.deep.equal(['closed well']);
  });
});
