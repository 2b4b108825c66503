/** The key format: recognizable, unguessable, and every typo is detected. */
import { expect } from 'chai';
import fc from 'fast-check';
import { generateSecret, hashSecret, isWellFormedSecret, prefixOf } from '../../models/api-key/store.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Fixed for ever: keys of this format are in use. */
const example = 'gamehost_live_0000000000000000000000000000000000000ef3wZ';

describe('key format', () => {
  it('is gamehost_live_, 36 random characters and 6 of checksum', () => {
    expect(generateSecret()).to.match(/^gamehost_live_[0-9A-Za-z]{42}$/);
  });

  it('accepts keys issued by earlier versions', () => {
    expect(isWellFormedSecret(example)).to.equal(true);
  });

  it('is unique, and uses every character of base62', () => {
    const secrets = Array.from({ length: 2000 }, generateSecret);
    expect(new Set(secrets).size).to.equal(2000);
    const used = new Set(secrets.flatMap((secret) => [...secret.slice('gamehost_live_'.length, -6)]));
    expect(used.size).to.equal(62);
  });

  it('detects every mistyped character', () => {
    const slip = fc.tuple(fc.nat(55), fc.constantFrom(...alphabet, '_', '-', ' '));
    fc.assert(
      fc.property(slip, ([index, character]) => {
        const secret = generateSecret();
        const mistyped = secret.slice(0, index) + character + secret.slice(index + 1);
        expect(isWellFormedSecret(mistyped)).to.equal(mistyped === secret);
      }),
      { numRuns: 500 },
    );
  });

  it('detects swapped neighbors, truncation and additions', () => {
    const secret = generateSecret();
    for (let index = 0; index < secret.length - 1; index += 1) {
      const [one = '', two = ''] = secret.slice(index, index + 2);
      const swapped = secret.slice(0, index) + two + one + secret.slice(index + 2);
      expect(isWellFormedSecret(swapped)).to.equal(one === two);
    }
    for (const wrong of ['', secret.slice(0, -1), secret.slice(1), `${secret}0`, ` ${secret}`, `${secret}\n`])
      expect(isWellFormedSecret(wrong)).to.equal(false);
  });

  it('is stored as its SHA-256 and shown by its first 20 characters', () => {
    expect(hashSecret('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(prefixOf('gamehost_live_abcdefGHIJKL')).to.equal('gamehost_live_abcdef');
  });
});
