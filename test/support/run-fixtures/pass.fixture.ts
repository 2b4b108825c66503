/** A test that passes, beside those that do not. */

describe('a test that is right', () => {
  it('passes', () => {});
});
