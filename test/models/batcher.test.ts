/** The batcher makes fewer database calls with the same results and independent failures. */
import { expect } from 'chai';
import { mongo } from 'mongoose';
import { createBatcher, createKeyBatcher } from '../../models/support/batcher.ts';

describe('createBatcher', () => {
  it('runs a lone call at once and batches calls that arrive meanwhile', async () => {
    const batches: number[][] = [];
    const double = createBatcher(async (numbers: number[]) => {
      batches.push(numbers);
      await new Promise(setImmediate);
      return numbers.map((number) => number * 2);
    });
    const answers = await Promise.all([1, 2, 3, 4].map(double));
    expect(answers).to.deep.equal([2, 4, 6, 8]);
    expect(batches).to.deep.equal([[1], [2, 3, 4]]);
  });

  it('batches concurrent calls together after a shared batch, and runs them at once after a batch of one', async () => {
    const batches: number[][] = [];
    const same = createBatcher(async (numbers: number[]) => {
      batches.push(numbers);
      return numbers;
    });
    await Promise.all([1, 2, 3].map(same));
    await Promise.all([4, 5, 6].map(same));
    await same(7);
    await new Promise(setImmediate);
    void same(8);
    expect(batches).to.deep.equal([[1], [2, 3], [4, 5, 6], [7], [8]]);
  });

  it('never answers a call from a read that started before it', async () => {
    let stored = 'old';
    const read = createBatcher(async (keys: string[]) => {
      const seen = stored;
      await new Promise(setImmediate);
      return keys.map(() => seen);
    });
    const before = read('a');
    stored = 'new';
    expect(await Promise.all([before, read('a')])).to.deep.equal(['old', 'new']);
  });

  it('rejects calls that wait for a batch without an answer from MongoDB, and queries again for later ones', async () => {
    const batches: string[][] = [];
    const read = createBatcher(async (keys: string[]) => {
      batches.push(keys);
      await new Promise(setImmediate);
      if (batches.length === 1) throw new mongo.MongoNetworkTimeoutError('timed out');
      return keys;
    });
    const settled = await Promise.allSettled([read('a'), read('b'), read('c')]);
    const names = settled.map((each) => (each.status === 'rejected' ? each.reason.name : each.value));
    expect(names).to.deep.equal(['MongoNetworkTimeoutError', 'NotSentError', 'NotSentError']);
    expect(await read('d')).to.equal('d');
    expect(batches).to.deep.equal([['a'], ['d']]);
  });

  it('reads a key once for several callers, and resolves to null for a missing one', async () => {
    const asked: string[][] = [];
    const find = createKeyBatcher(
      async (keys: string[]) => {
        asked.push(keys);
        return keys.filter((key) => key !== 'missing').map((key) => ({ key }));
      },
      ({ key }) => key,
    );
    const found = await Promise.all(['x', 'a', 'a', 'missing'].map(find));
    expect(found.map((record) => record?.key ?? null)).to.deep.equal(['x', 'a', 'a', null]);
    expect(asked).to.deep.equal([['x'], ['a', 'missing']]);
  });
});
