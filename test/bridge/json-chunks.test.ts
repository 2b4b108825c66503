/** JSON in pieces: what long answers that many share are sent as. */
import { expect } from 'chai';
import { joinTexts, lengthOf } from '../../bridge/json.ts';

const kept = Buffer.from('"ü"');

describe('JSON in pieces', () => {
  it('has no two texts in a row, and says what it said', () => {
    const pieces = joinTexts(['[', '1,', kept, ',', '2', ']']);
    expect(pieces).to.deep.equal(['[1,', kept, ',2]']);
    expect(pieces.join('')).to.equal('[1,"ü",2]');
  });

  it('is one text where nothing is kept', () => {
    expect(joinTexts(['[', '1', ']'])).to.deep.equal(['[1]']);
    expect(joinTexts([])).to.deep.equal([]);
  });

  it('is as long as the bytes it is sent as', () => {
    for (const pieces of [[], ['ü'], [kept], ['[', kept, ',"€"]']])
      expect(lengthOf(pieces)).to.equal(Buffer.byteLength(pieces.join('')));
  });
});
