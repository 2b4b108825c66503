/** API keys: an unguessable format that reveals typos, at most 25 active ones, atomic rotation, and expiry to the millisecond. */
import { expect } from 'chai';
import fc from 'fast-check';
import { generateSecret, hashSecret, isWellFormedSecret, prefixOf } from '../../models/api-key/secret.ts';
import { liveKeysMax } from '../../models/bounds.ts';
import { eventually } from '../support/eventually.ts';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Fixed for good: keys of this format are in use. */
const example = 'gamehost_live_0000000000000000000000000000000000000ef3wZ';

describe('the format of an API key', () => {
  it('is gamehost_live_, 36 random base62 characters and 6 checksum characters', () => {
    const secrets = Array.from({ length: 2000 }, () => generateSecret());
    for (const secret of secrets) expect(secret).to.match(/^gamehost_live_[0-9A-Za-z]{42}$/);
    const used = new Set(secrets.flatMap((secret) => [...secret.slice('gamehost_live_'.length, -6)]));
    expect([new Set(secrets).size, used.size]).to.deep.equal([2000, 62]);
    expect(isWellFormedSecret(example)).to.equal(true);
  });

  it('reveals every mistyped character', () => {
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

  it('reveals swapped neighbors, truncation and additions', () => {
    const secret = generateSecret();
    for (let index = 0; index < secret.length - 1; index += 1) {
      const [one = '', two = ''] = secret.slice(index, index + 2);
      const swapped = secret.slice(0, index) + two + one + secret.slice(index + 2);
      expect(isWellFormedSecret(swapped)).to.equal(one === two);
    }
    for (const wrong of ['', secret.slice(0, -1), secret.slice(1), `${secret}0`, ` ${secret}`, `${secret}\n`])
      expect(isWellFormedSecret(wrong)).to.equal(false);
  });

  it('lets a key be stored as its SHA-256 and shown by its first 20 characters', () => {
    expect(hashSecret('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(prefixOf('gamehost_live_abcdefGHIJKL')).to.equal('gamehost_live_abcdef');
  });
});

const hourMs = 60 * 60_000;
/** In the future, because MongoDB deletes keys that expired long ago. */
const start = new Date('2100-11-21T12:00:00.000Z');
const later = (ms: number) => new Date(start.getTime() + ms);
const newKey = { name: 'deploy', scopes: ['read:account'], expiresAt: null };

describe("a user's keys", () => {
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

  it('are revoked at once and permanently, and a second revocation keeps the first time', async () => {
    const { key, secret } = await issue(later(1000));
    await test.models.apiKeys.revoke(key._id, start);
    const { key: again } = await test.models.apiKeys.revoke(key._id, later(500));
    expect(again?.revokedAt).to.deep.equal(start);
    for (const ms of [0, 2000]) expect(await refusalOf(secret, ms)).to.equal('revoked');
  });

  it('are limited to 25, even with concurrent requests', async () => {
    await issueMany(liveKeysMax - 3);
    const added = await Promise.all(Array.from({ length: 5 }, () => add()));
    expect(added.filter((key) => key !== null)).to.have.length(3);
    expect(await test.models.apiKeys.listLive(userId, start)).to.have.length(liveKeysMax);
  });

  it('make room for others when they are revoked or expire', async () => {
    const [first] = await issueMany(liveKeysMax - 1);
    await issue(later(hourMs));
    expect(await add()).to.equal(null);
    await test.models.apiKeys.revoke(first?.key._id ?? '', start, { userId });
    expect(await add()).not.to.equal(null);
    expect(await add()).to.equal(null);
    expect(await add(later(hourMs))).not.to.equal(null);
  });

  it('never outlive their own expiry after a rotation', async () => {
    const { key, secret } = await issue(later(hourMs));
    await rotate(key._id, 24 * hourMs);
    expect(await refusalOf(secret, hourMs - 1)).to.equal(null);
    expect(await refusalOf(secret, hourMs)).to.equal('expired');
  });

  it('are replaced once by concurrent rotations', async () => {
    const { key } = await issue();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => rotate(key._id, hourMs)));
    expect(outcomes.filter((outcome) => outcome === 'replaced')).to.have.length(4);
    expect(await test.models.apiKeys.listLive(userId, start)).to.have.length(2);
  });

  it('rotate only without overlap at the limit, because both would be active', async () => {
    const id = (await issueMany(liveKeysMax))[0]?.key._id ?? '';
    expect(await rotate(id, hourMs)).to.equal('full');
    expect(await rotate(id, 0)).to.be.an('object');
  });

  it('are not rotated once revoked or expired', async () => {
    const [revoked, expired] = await Promise.all([issue(), issue(later(hourMs))]);
    await test.models.apiKeys.revoke(revoked.key._id, start);
    for (const { key } of [revoked, expired])
      expect(await rotate(key._id, 0, later(hourMs))).to.equal('not_found');
  });

  it('record their use once a minute, even with concurrent calls', async () => {
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
