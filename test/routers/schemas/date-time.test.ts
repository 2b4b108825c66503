/** Date-times in answers. */
import { expect } from 'chai';
import fc from 'fast-check';
import { presentMoment } from '../../../routers/schemas/common.ts';

describe('presentMoment', () => {
  it('writes RFC 3339 in UTC with milliseconds for any date', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (moment) => {
        expect(presentMoment(moment)).to.equal(moment.toISOString());
      }),
    );
  });

  it('throws for an invalid date', () => {
    expect(() => presentMoment(new Date(Number.NaN))).to.throw(RangeError);
  });
});
