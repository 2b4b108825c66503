/** Moments as every answer writes them. */
import { expect } from 'chai';
import fc from 'fast-check';
import { presentMoment } from '../../../routers/shapes/date-time.ts';

describe('a moment on the wire', () => {
  it('is in RFC 3339, in UTC, with milliseconds, whatever the moment', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (moment) => {
        expect(presentMoment(moment)).to.equal(moment.toISOString());
      }),
    );
  });

  it('keeps its zeros', () => {
    expect(presentMoment(new Date('2026-01-02T03:04:05.006Z'))).to.equal('2026-01-02T03:04:05.006Z');
  });

  it('is never made up', () => {
    expect(() => presentMoment(new Date(Number.NaN))).to.throw(RangeError);
  });
});
