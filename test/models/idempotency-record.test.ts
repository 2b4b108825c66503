/** Of all processes one claims an idempotency key, and none waits for ever for a process that died. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { createModels, type Models } from '../../models/index.ts';
import { connectMongoose } from '../../server/database.ts';
import { testDatabaseUri } from '../support/mongo.ts';

describe('idempotency records', () => {
  let connections: Connection[];
  let processes: Models[];

  before(async () => {
    const databaseUri = testDatabaseUri();
    connections = await Promise.all([1, 2].map(() => connectMongoose(databaseUri)));
    processes = connections.map(createModels);
  });
  after(async () => {
    await connections[0]?.dropDatabase();
    for (const connection of connections) await connection.close();
  });

  const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1) + seconds * 1000);
  const request = (idempotencyKey = randomUUID()) => ({ keyId: 'key', idempotencyKey, fingerprint: 'same' });

  /** Claims as the first process, or as the second. */
  const claim = async (asked: ReturnType<typeof request>, now: Date, index = 0) => {
    const outcome = await processes[index]?.idempotencyRecords.claim({ ...asked, now });
    if (!outcome) throw new Error('there is no such process');
    return outcome;
  };
  const claimed = async (asked: ReturnType<typeof request>, now: Date, index = 0) => {
    const outcome = await claim(asked, now, index);
    if (outcome.state !== 'claimed') throw new Error(`it is ${outcome.state}`);
    return outcome.claim;
  };
  const records = (index = 0) => {
    const models = processes[index];
    if (!models) throw new Error('there is no such process');
    return models.idempotencyRecords;
  };

  it('are claimed by one of two processes at once, without an index of their own', async () => {
    for (let round = 0; round < 20; round += 1) {
      const asked = request();
      const outcomes = await Promise.all([0, 1, 0, 1].map((index) => claim(asked, at(0), index)));
      const states = outcomes.map(({ state }) => state).sort();
      expect(states).to.deep.equal(['claimed', 'under_way', 'under_way', 'under_way']);
    }
  });

  it('answer every process once the first has', async () => {
    const asked = request();
    await records().complete(await claimed(asked, at(0)), 'done');
    expect(await claim(asked, at(1), 1)).to.deep.equal({ state: 'answered', answer: 'done' });
    expect(await claim({ ...asked, fingerprint: 'other' }, at(1), 1)).to.deep.equal({ state: 'differs' });
  });

  it('are free again once released', async () => {
    const asked = request();
    await records().release(await claimed(asked, at(0)));
    expect(await claim(asked, at(0), 1)).to.have.property('state', 'claimed');
  });

  it('are free again 45 seconds after a process died over its call, for one of many', async () => {
    const asked = request();
    await claimed(asked, at(0));
    expect(await claim(asked, at(44), 1)).to.deep.equal({ state: 'under_way' });
    const outcomes = await Promise.all([0, 1, 0, 1].map((index) => claim(asked, at(45), index)));
    expect(outcomes.filter(({ state }) => state === 'claimed')).to.have.lengthOf(1);
  });

  it('pass on to the same write when a process died, and to no other', async () => {
    const asked = request();
    const { writeId } = await claimed(asked, at(0));
    expect(await claim({ ...asked, fingerprint: 'other' }, at(45), 1)).to.deep.equal({ state: 'differs' });
    expect(await claimed(asked, at(45), 1)).to.have.property('writeId', writeId);
    expect(await claimed(request(), at(45), 1)).to.not.have.property('writeId', writeId);
  });

  it('pass on at once, to the same write, when nobody knows whether it was made', async () => {
    const asked = request();
    const first = await claimed(asked, at(0));
    await records().passOn(first);
    const second = await claimed(asked, at(1), 1);
    expect(second).to.have.property('writeId', first.writeId);
    await records(1).complete(second, 'done');
    await records(1).passOn(second);
    expect(await claim(asked, at(2))).to.deep.equal({ state: 'answered', answer: 'done' });
  });

  it('are not changed by whoever comes back after its claim has passed to another', async () => {
    const asked = request();
    const late = await claimed(asked, at(0));
    const present = await claimed(asked, at(45), 1);
    await records().complete(late, 'late');
    await records().passOn(late);
    await records().release(late);
    expect(await claim(asked, at(46))).to.deep.equal({ state: 'under_way' });
    await records(1).complete(present, 'present');
    expect(await claim(asked, at(46))).to.deep.equal({ state: 'answered', answer: 'present' });
  });

  it('do not count after 24 hours, answered or not', async () => {
    const asked = request();
    await records().complete(await claimed(asked, at(0)), 'done');
    expect(await claim(asked, at(24 * 60 * 60 - 1))).to.have.property('state', 'answered');
    expect(await claim({ ...asked, fingerprint: 'other' }, at(24 * 60 * 60))).to.have.property(
      'state',
      'claimed',
    );
  });
});
