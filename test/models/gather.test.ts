/** Promises of gathered database calls: fewer calls, the same answers, and nobody pays for a neighbour. */
import { expect } from 'chai';
import { gather, gatherByKey } from '../../models/gather.ts';

describe('calls gathered into one', () => {
  it('goes at once when nothing is under way, and takes along together what came meanwhile', async () => {
    const batches: number[][] = [];
    const double = gather(async (numbers: number[]) => {
      batches.push(numbers);
      await new Promise(setImmediate);
      return numbers.map((number) => number * 2);
    });
    const answers = await Promise.all([1, 2, 3, 4].map(double));
    expect(answers).to.deep.equal([2, 4, 6, 8]);
    expect(batches).to.deep.equal([[1], [2, 3, 4]]);
  });

  it('sends together what is asked at the same time, once callers are many', async () => {
    const { same, batches } = gatherWatched();
    await Promise.all([1, 2, 3].map(same));
    await Promise.all([4, 5, 6].map(same));
    expect(batches).to.deep.equal([[1], [2, 3], [4, 5, 6]]);
  });

  it('sends at once again after one that came alone', async () => {
    const { same, batches } = gatherWatched();
    await Promise.all([1, 2, 3].map(same));
    await same(4);
    await new Promise(setImmediate);
    void same(5);
    expect(batches).to.deep.equal([[1], [2, 3], [4], [5]]);
  });

  it('never adds a call to a read that was sent before it', async () => {
    let stored = 'old';
    const read = gather(async (keys: string[]) => {
      const seen = stored;
      await new Promise(setImmediate);
      return keys.map(() => seen);
    });
    const before = read('a');
    stored = 'new';
    expect(await Promise.all([before, read('a')])).to.deep.equal(['old', 'new']);
  });

  it('fails only the caller whose outcome is an error', async () => {
    const failing = gather(async (names: string[]) =>
      names.map((name) => (name === 'bad' ? new Error('refused') : `stored ${name}`)),
    );
    const settled = await Promise.allSettled(['first', 'bad', 'good'].map(failing));
    expect(settled.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('goes on after a call that failed for all', async () => {
    let isDown = true;
    const read = gather(async (keys: string[]) => {
      if (isDown) throw new Error('no database');
      return keys;
    });
    const failed = await Promise.allSettled([read('a'), read('b')]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    isDown = false;
    expect(await read('c')).to.equal('c');
  });

  it('asks once for a key that several want, and says null to who wants one that is not there', async () => {
    const asked: string[][] = [];
    const find = gatherByKey(
      async (keys: string[]) => {
        asked.push(keys);
        return keys.filter((key) => key !== 'nobody').map((key) => ({ key }));
      },
      ({ key }) => key,
    );
    const found = await Promise.all(['x', 'a', 'a', 'nobody'].map(find));
    expect(found.map((record) => record?.key ?? null)).to.deep.equal(['x', 'a', 'a', null]);
    expect(asked).to.deep.equal([['x'], ['a', 'nobody']]);
  });
});

/** Gives back what it is given, and tells what went together. */
function gatherWatched() {
  const batches: number[][] = [];
  const same = gather(async (numbers: number[]) => {
    batches.push(numbers);
    return numbers;
  });
  return { same, batches };
}
