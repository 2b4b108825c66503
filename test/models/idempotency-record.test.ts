/** Idempotency records: one process claims a key, and a dead process's lease expires. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createModels } from '../../models/index.ts';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

describe('idempotency records', () => {
  const test = useStarted(() => openTestModels());

  const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1) + seconds * 1000);
  const request = (idempotencyKey = randomUUID()) => ({ keyId: 'key', idempotencyKey, fingerprint: 'same' });

  /** The records as the first process (0) or the second (1) uses them. */
  const records = (index = 0) =>
    (index === 0 ? test.models : createModels(test.connection)).idempotencyRecords;
  const claim = (asked: ReturnType<typeof request>, now: Date, index = 0) =>
    records(index).claim({ ...asked, now });
  const claimed = async (asked: ReturnType<typeof request>, now: Date, index = 0) => {
    const outcome = await claim(asked, now, index);
    if (outcome.state !== 'claimed') throw new Error(`it is ${outcome.state}`);
    return outcome.claim;
  };

  it('are claimed by exactly one of several concurrent calls in two processes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const asked = request();
      const outcomes = await Promise.all([0, 1, 0, 1].map((index) => claim(asked, at(0), index)));
      const states = outcomes.map(({ state }) => state).sort();
      expect(states).to.deep.equal(['claimed', 'in_progress', 'in_progress', 'in_progress']);
    }
  });

  it('return the stored answer in every process', async () => {
    const asked = request();
    await records().complete(await claimed(asked, at(0)), 'done');
    expect(await claim(asked, at(1), 1)).to.deep.equal({ state: 'completed', response: 'done' });
    expect(await claim({ ...asked, fingerprint: 'other' }, at(1), 1)).to.deep.equal({ state: 'differs' });
  });

  it('can be claimed again after release', async () => {
    const asked = request();
    await records().release(await claimed(asked, at(0)));
    expect(await claim(asked, at(0), 1)).to.have.property('state', 'claimed');
  });

  it('are taken over by exactly one call 45 seconds after a process died', async () => {
    const asked = request();
    await claimed(asked, at(0));
    expect(await claim(asked, at(44), 1)).to.deep.equal({ state: 'in_progress' });
    const outcomes = await Promise.all([0, 1, 0, 1].map((index) => claim(asked, at(45), index)));
    expect(outcomes.filter(({ state }) => state === 'claimed')).to.have.lengthOf(1);
  });

  it('keep the write id when taken over, for the same request only', async () => {
    const asked = request();
    const { writeId } = await claimed(asked, at(0));
    expect(await claim({ ...asked, fingerprint: 'other' }, at(45), 1)).to.deep.equal({ state: 'differs' });
    expect(await claimed(asked, at(45), 1)).to.have.property('writeId', writeId);
    expect(await claimed(request(), at(45), 1)).to.not.have.property('writeId', writeId);
  });

  it('can be taken over at once after expireLease, with the same write id', async () => {
    const asked = request();
    const first = await claimed(asked, at(0));
    await records().expireLease(first);
    const second = await claimed(asked, at(1), 1);
    expect(second).to.have.property('writeId', first.writeId);
    await records(1).complete(second, 'done');
    await records(1).expireLease(second);
    expect(await claim(asked, at(2))).to.deep.equal({ state: 'completed', response: 'done' });
  });

  it('ignore a late call whose claim was taken over', async () => {
    const asked = request();
    const late = await claimed(asked, at(0));
    const present = await claimed(asked, at(45), 1);
    await records().complete(late, 'late');
    await records().expireLease(late);
    await records().release(late);
    expect(await claim(asked, at(46))).to.deep.equal({ state: 'in_progress' });
    await records(1).complete(present, 'present');
    expect(await claim(asked, at(46))).to.deep.equal({ state: 'completed', response: 'present' });
  });

  it('can be claimed again after 24 hours, answered or not', async () => {
    const asked = request();
    await records().complete(await claimed(asked, at(0)), 'done');
    expect(await claim(asked, at(24 * 60 * 60 - 1))).to.have.property('state', 'completed');
    expect(await claim({ ...asked, fingerprint: 'other' }, at(24 * 60 * 60))).to.have.property(
      'state',
      'claimed',
    );
  });
});
