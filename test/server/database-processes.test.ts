/** The embedded database among processes: two services on one directory, kills, Ctrl-C; mongod outlives nobody. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { findRunningEmbedded } from '../../server/database.ts';
import { describeServer, EmbeddedTrial, portOf, recall, remember } from '../support/embedded.ts';
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

  describe('kill -9 of mongod itself', () => {
    const ended = 'The embedded MongoDB ended unexpectedly; starting it again ...';
    const isUp = 'The embedded MongoDB is up again.';
    const killMongod = async (uri: string) => {
      const { pid } = await describeServer(uri);
      process.kill(pid, 'SIGKILL');
      return pid;
    };

    it('is said, and it is started again on the same data and port, as often as it happens', async () => {
      const { uri } = await trial.open();
      const notes: string[] = [];
      for (const note of ['first', 'second']) {
        notes.push(note);
        await remember(uri, note);
        const killed = await killMongod(uri);
        while (trial.said.length < 2 * notes.length) await delay(20);
        expect((await describeServer(uri)).pid).not.to.equal(killed);
        expect(await recall(uri)).to.deep.equal(notes);
      }
      expect(trial.said).to.deep.equal([ended, isUp, ended, isUp]);
    });

    it('is tried again, with the reason, while another program has its port', async () => {
      const { uri } = await trial.open();
      await remember(uri, 'patient');
      await killMongod(uri);
      while (trial.said.length === 0) await delay(20);
      const stranger = await trial.takePort(portOf(uri));
      while (trial.said.length < 2) await delay(20);
      expect(trial.said[1]).to.match(
        /^MongoDB .* did not start on .*in use.*; trying again in \d+ s \.\.\.$/,
      );
      stranger.close();
      while (trial.said.at(-1) !== isUp) await delay(20);
      expect(await recall(uri)).to.deep.equal(['patient']);
    });

    it('and an end that comes meanwhile: nothing is left behind, and the next start has the data', async () => {
      const database = await trial.open();
      await remember(database.uri, 'recovered');
      await killMongod(database.uri);
      while (trial.said.length === 0) await delay(20);
      await database.stop();
      expect(await findRunningEmbedded(trial.dataDir)).to.equal(null);
      expect(await recall((await trial.open()).uri)).to.deep.equal(['recovered']);
    });
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
