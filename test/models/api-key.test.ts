/** API keys: a format that is unguessable and shows every typo, at most 25 live ones, atomic rotation, and an end to the millisecond. */
import { expect } from 'chai';
import fc from 'fast-check';
import { generateSecret, hashSecret, isWellFormedSecret, prefixOf } from '../../models/api-key/secret.ts';
import { liveKeysMax } from '../../models/bounds.ts';
import { eventually } from '../support/eventually.ts';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Fixed for ever: keys of this format are in use. */
const example = 'gamehost_live_0000000000000000000000000000000000000ef3wZ';

describe('key format', () => {
  it('is gamehost_live_, 36 random characters of base62 and 6 of checksum', () => {
    const secrets = Array.from({ length: 2000 }, () => generateSecret());
    for (const secret of secrets) expect(secret).to.match(/^gamehost_live_[0-9A-Za-z]{42}$/);
    const used = new Set(secrets.flatMap((secret) => [...secret.slice('gamehost_live_'.length, -6)]));
    expect([new Set(secrets).size, used.size]).to.deep.equal([2000, 62]);
    expect(isWellFormedSecret(example)).to.equal(true);
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

const hourMs = 60 * 60_000;
/** In the future: MongoDB deletes keys whose end is long past. */
const start = new Date('2100-11-21T12:00:00.000Z');
const later = (ms: number) => new Date(start.getTime() + ms);
const newKey = { name: 'deploy', scopes: ['read:account'], expiresAt: null };

describe('the keys of a user', () => {
  const test = useStarted(() => openTestModels());
  let userId = 0;

  beforeEach(async () => {
    userId = (await test.models.users.add({ email: `user${userId}@example.com` }, start))?._id ?? 0;
  });

  const add = (now = start) =>
    test.models.transaction((session) => test.models.apiKeys.add({ ...newKey, userId }, now, session));
  const issue = (expiresAt: Date | null = null) =>
    test.models.apiKeys.issue({ ...newKey, expiresAt, userId }, start);
  const issueMany = (count: number) => Promise.all(Array.from({ length: count }, () => issue()));
  const rotate = (id: string, overlapMs: number, now = start) => {
    const rotation = { userId, id, overlapMs, allowedScopes: newKey.scopes };
    return test.models.transaction((session) => test.models.apiKeys.rotate(rotation, now, session));
  };
  const refusalOf = async (secret: string, ms: number) =>
    (await test.models.apiKeys.verify(secret, later(ms))).refusal;

  it('end in the millisecond in which they expire', async () => {
    const { secret } = await issue(later(1000));
    expect([await refusalOf(secret, 999), await refusalOf(secret, 1000)]).to.deep.equal([null, 'expired']);
  });

  it('are revoked at once and permanently; a second revocation keeps the first time', async () => {
    const { key, secret } = await issue(later(1000));
    await test.models.apiKeys.revoke(key._id, start);
    const { key: again } = await test.models.apiKeys.revoke(key._id, later(500));
    expect(again?.revokedAt).to.deep.equal(start);
    for (const ms of [0, 2000]) expect(await refusalOf(secret, ms)).to.equal('revoked');
  });

  it('are at most 25, also under concurrent requests', async () => {
    await issueMany(liveKeysMax - 3);
    const added = await Promise.all(Array.from({ length: 5 }, () => add()));
    expect(added.filter((key) => key !== null)).to.have.length(3);
    expect(await test.models.apiKeys.listLive(userId, start)).to.have.length(liveKeysMax);
  });

  it('free their place when they are revoked or expire', async () => {
    const [first] = await issueMany(liveKeysMax - 1);
    await issue(later(hourMs));
    expect(await add()).to.equal(null);
    await test.models.apiKeys.revoke(first?.key._id ?? '', start, { userId });
    expect(await add()).not.to.equal(null);
    expect(await add()).to.equal(null);
    expect(await add(later(hourMs))).not.to.equal(null);
  });

  it('rotated never outlive their own expiry', async () => {
    const { key, secret } = await issue(later(hourMs));
    await rotate(key._id, 24 * hourMs);
    expect(await refusalOf(secret, hourMs - 1)).to.equal(null);
    expect(await refusalOf(secret, hourMs)).to.equal('expired');
  });

  it('rotated concurrently are replaced once', async () => {
    const { key } = await issue();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => rotate(key._id, hourMs)));
    expect(outcomes.filter((outcome) => outcome === 'replaced')).to.have.length(4);
    expect(await test.models.apiKeys.listLive(userId, start)).to.have.length(2);
  });

  it('at the quota are rotated without overlap only, as both would be live', async () => {
    const id = (await issueMany(liveKeysMax))[0]?.key._id ?? '';
    expect(await rotate(id, hourMs)).to.equal('full');
    expect(await rotate(id, 0)).to.be.an('object');
  });

  it('are not found by a rotation when they are revoked or expired', async () => {
    const [revoked, expired] = await Promise.all([issue(), issue(later(hourMs))]);
    await test.models.apiKeys.revoke(revoked.key._id, start);
    for (const { key } of [revoked, expired])
      expect(await rotate(key._id, 0, later(hourMs))).to.equal('not_found');
  });

  it('record their use once a minute, also by concurrent calls', async () => {
    const { key } = await issue();
    const lastUse = async () => (await test.models.apiKeys.find(key._id))?.lastUsedAt ?? null;
    const touch = (ms: number, lastUsedAt: Date | null) =>
      test.models.apiKeys.touch({ ...key, lastUsedAt }, later(ms));
    const expectUse = (at: Date) => eventually(async () => expect(await lastUse()).to.deep.equal(at));
    for (const ms of [0, 1, 2, 3, 59_000]) touch(ms, null);
    await expectUse(start);
    touch(59_999, await lastUse());
    await expectUse(start);
    touch(60_000, await lastUse());
    await expectUse(later(60_000));
  });
});
