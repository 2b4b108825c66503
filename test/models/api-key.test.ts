/** API keys: a format that is recognizable, unguessable and shows every typo; and when they end, to the millisecond. */
import { expect } from 'chai';
import fc from 'fast-check';
import { generateSecret, hashSecret, isWellFormedSecret, prefixOf } from '../../models/api-key/secret.ts';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Fixed for ever: keys of this format are in use. */
const example = 'gamehost_live_0000000000000000000000000000000000000ef3wZ';

describe('key format', () => {
  it('is gamehost_live_, 36 random characters and 6 of checksum', () => {
    expect(generateSecret()).to.match(/^gamehost_live_[0-9A-Za-z]{42}$/);
  });

  it('accepts keys that are in use', () => {
    expect(isWellFormedSecret(example)).to.equal(true);
  });

  it('is unique, and uses every character of base62', () => {
    const secrets = Array.from({ length: 2000 }, () => generateSecret());
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

describe('API keys', () => {
  const test = useStarted(() => openTestModels());

  /** In the future: MongoDB deletes keys whose end is long past. */
  const now = new Date('2100-11-21T12:00:00.000Z');
  before(() => test.models.users.add({ email: 'ada@example.com' }, now));

  const later = (ms: number) => new Date(now.getTime() + ms);
  const issue = () => {
    const newKey = { userId: 1, name: 'test', scopes: ['read:catalog'], expiresAt: later(1000) };
    return test.models.apiKeys.issue(newKey, now);
  };
  const refusalAt = async (secret: string, ms: number) =>
    (await test.models.apiKeys.verify(secret, later(ms))).refusal;

  it('end in the millisecond in which they expire', async () => {
    const { secret } = await issue();
    expect(await refusalAt(secret, 999)).to.equal(null);
    expect(await refusalAt(secret, 1000)).to.equal('expired');
  });

  it('are revoked at once and permanently; a second revocation keeps the first time', async () => {
    const { key, secret } = await issue();
    await test.models.apiKeys.revoke(key._id, now);
    const { key: again } = await test.models.apiKeys.revoke(key._id, later(500));
    expect(again?.revokedAt).to.deep.equal(now);
    for (const ms of [0, 2000]) expect(await refusalAt(secret, ms)).to.equal('revoked');
  });
});
