/** The operators' reference shows the limits in the code. */
import { expect } from 'chai';
import { withBounds } from '../../server/build/bounds-table.ts';
import { readDocument } from '../support/documents.ts';

describe('the tables of limits in the reference', () => {
  it('match the values in the code, as npm run format writes them', async () => {
    const reference = await readDocument('server/operations/reference.md');
    expect(reference).to.equal(withBounds(reference));
    expect(reference).to.match(/^\| body of a request +\| 256 KiB +\|$/m);
  });
});
