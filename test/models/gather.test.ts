/** Promises of gathered database calls: fewer calls, the same answers, and nobody pays for a neighbour. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect } from 'chai';
import { gather, gatherByKey } from '../../models/gather.ts';

describe('calls gathered into one', () => {
  it('sends together what is asked at the same time, and then what came while that was under way', async () => {
    const batches: number[][] = [];
    const double = gather(async (numbers: number[]) => {
      batches.push(numbers);
      await turnOfTheLoop();
      return numbers.map((number) => number * 2);
    });
    const first = [1, 2].map(double);
    await turnOfTheLoop();
    const answers = await Promise.all([...first, ...[3, 4, 5].map(double)]);
    expect(answers).to.deep.equal([2, 4, 6, 8, 10]);
    expect(batches).to.deep.equal([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  it('never adds a call to a read that was sent before it', async () => {
    let stored = 'old';
    const read = gather(async (keys: string[]) => {
      const seen = stored;
      await turnOfTheLoop();
      return keys.map(() => seen);
    });
    const before = read('a');
    await turnOfTheLoop();
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
    const found = await Promise.all(['a', 'b', 'a', 'nobody'].map(find));
    expect(found.map((record) => record?.key ?? null)).to.deep.equal(['a', 'b', 'a', null]);
    expect(asked).to.deep.equal([['a', 'b', 'nobody']]);
  });
});
