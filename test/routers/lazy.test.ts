/** What is loaded when it is first asked for. */
import { expect } from 'chai';
import { lazy } from '../../routers/support/memoize.ts';
import { failureOf } from '../support/failure-of.ts';

describe('lazy', () => {
  it('loads once for all who ask, and not before', async () => {
    let loads = 0;
    const ask = lazy(async () => ++loads);
    expect(loads).to.equal(0);
    expect(await Promise.all([ask(), ask()])).to.deep.equal([1, 1]);
    expect(await ask()).to.equal(1);
  });

  it('tries again after a failure', async () => {
    let loads = 0;
    const ask = lazy(async () => {
      loads += 1;
      if (loads === 1) throw new Error('not now');
      return loads;
    });
    expect((await failureOf(ask())).message).to.equal('not now');
    expect(await ask()).to.equal(2);
  });
});
