/** The rating of new passwords, whose list of common ones is loaded at first use. */
import { register } from 'node:module';
import { expect } from 'chai';
import { failureOf } from '../../support/failure-of.ts';

describe('the rating of new passwords', () => {
  it('works again after a load that failed', async () => {
    register(`data:text/javascript,${encodeURIComponent(failingOnce)}`);
    // By another address, so that no other test of this process has loaded it.
    const address = '../../../routers/schemas/password.ts?failing-once';
    const { isGuessable }: typeof import('../../../routers/schemas/password.ts') = await import(address);
    expect((await failureOf(isGuessable('correct horse'))).message).to.equal('too many open files');
    expect(await isGuessable('passwordpassword')).to.equal(true);
    expect(await isGuessable('seven odd otters juggle')).to.equal(false);
  });
});

const failingOnce = `
let hasFailed = false;
export async function resolve(specifier, context, next) {
  const isFirst = !hasFailed && specifier === '@zxcvbn-ts/core' && context.parentURL.includes('failing-once');
  if (!isFirst) return next(specifier, context);
  hasFailed = true;
  throw new Error('too many open files');
}`;
