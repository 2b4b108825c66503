/** A user's keys: at most 25 live ones, atomic rotation, use recorded once a minute. */

import { expect } from 'chai';
import { liveKeysMax } from '../../models/api-key/quota.ts';
import type { ApiKeyRecord } from '../../models/api-key/store.ts';
import { eventually } from '../support/eventually.ts';
import { openTestModels, type TestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

const hourMs = 60 * 60_000;
const start = new Date('2026-11-21T09:00:00Z');
const later = (ms: number) => new Date(start.getTime() + ms);
const newKey = { name: 'deploy', scopes: ['read:account'], expiresAt: null };
const scopesKept = newKey.scopes;

describe('the keys of a user', () => {
  const stores = useStarted(() => openTestModels());
  let models: TestModels['models'];
  let userId = 0;

  before(async () => {
    models = stores.models;
  });
  beforeEach(async () => {
    const user = await models.users.add({ email: `user${userId}@example.com` }, start);
    userId = user?._id ?? 0;
  });

  const add = async (overrides: Partial<Pick<ApiKeyRecord, 'expiresAt'>> = {}) => {
    const issued = await models.apiKeyQuota.add({ ...newKey, ...overrides, userId }, start);
    if (!issued) throw new Error('the quota is used up');
    return issued;
  };
  const addMany = (count: number) => Promise.all(Array.from({ length: count }, () => add()));
  const rotate = async (id: string, overlapMs: number, now = start) => {
    const issued = await models.apiKeyQuota.rotate({ userId, id, overlapMs, scopesKept }, now);
    if (typeof issued === 'string') throw new Error(issued);
    return issued;
  };
  const refusalOf = async (secret: string, now: Date) => (await models.apiKeys.verify(secret, now)).refusal;

  it('are at most 25, also under concurrent requests', async () => {
    const asked = Array.from({ length: 30 }, () => models.apiKeyQuota.add({ ...newKey, userId }, start));
    const issued = (await Promise.all(asked)).filter((key) => key !== null);
    expect(issued).to.have.length(liveKeysMax);
    expect(await models.apiKeys.listLive(userId, start)).to.have.length(liveKeysMax);
  });

  it('free their place when they are revoked or expire', async () => {
    const [first] = await addMany(liveKeysMax - 1);
    await add({ expiresAt: later(hourMs) });
    expect(await models.apiKeyQuota.add({ ...newKey, userId }, start)).to.equal(null);
    await models.apiKeys.revokeOwned(userId, first?.key._id ?? '', start);
    expect(await models.apiKeyQuota.add({ ...newKey, userId }, start)).not.to.equal(null);
    expect(await models.apiKeyQuota.add({ ...newKey, userId }, start)).to.equal(null);
    expect(await models.apiKeyQuota.add({ ...newKey, userId }, later(hourMs))).not.to.equal(null);
  });

  describe('rotated', () => {
    it('get a new secret with the same settings', async () => {
      const old = await add({ expiresAt: later(48 * hourMs) });
      const { key, secret } = await rotate(old.key._id, hourMs);
      expect(key).to.deep.include({ ...newKey, userId, expiresAt: later(48 * hourMs) });
      expect(secret).not.to.equal(old.secret);
      expect(await refusalOf(secret, start)).to.equal(null);
    });

    it('without overlap end at once', async () => {
      const old = await add();
      await rotate(old.key._id, 0);
      expect(await refusalOf(old.secret, start)).to.equal('expired');
    });

    it('stay valid for the overlap and no longer', async () => {
      const old = await add();
      await rotate(old.key._id, 24 * hourMs);
      expect(await refusalOf(old.secret, later(24 * hourMs - 1))).to.equal(null);
      expect(await refusalOf(old.secret, later(24 * hourMs))).to.equal('expired');
    });

    it('never outlive their own expiry', async () => {
      const old = await add({ expiresAt: later(hourMs) });
      await rotate(old.key._id, 24 * hourMs);
      expect(await refusalOf(old.secret, later(hourMs))).to.equal('expired');
    });

    it('concurrently are replaced once', async () => {
      const { key } = await add();
      const attempts = Array.from({ length: 5 }, () =>
        models.apiKeyQuota.rotate({ userId, id: key._id, overlapMs: hourMs, scopesKept }, start),
      );
      const outcomes = await Promise.all(attempts);
      expect(outcomes.filter((outcome) => outcome === 'replaced')).to.have.length(4);
      expect(await models.apiKeys.listLive(userId, start)).to.have.length(2);
    });

    it('at the quota are refused with overlap, as both would be live, and allowed without', async () => {
      const [first] = await addMany(liveKeysMax);
      const rotation = { userId, id: first?.key._id ?? '', scopesKept };
      expect(await models.apiKeyQuota.rotate({ ...rotation, overlapMs: hourMs }, start)).to.equal('full');
      expect(await models.apiKeyQuota.rotate({ ...rotation, overlapMs: 0 }, start)).to.be.an('object');
    });

    it('are not found when they belong to another user, are revoked or expired', async () => {
      const [revoked, expired] = await Promise.all([add(), add({ expiresAt: later(hourMs) })]);
      await models.apiKeys.revoke(revoked.key._id, start);
      const rotateAs = (owner: number, id: string) =>
        models.apiKeyQuota.rotate({ userId: owner, id, overlapMs: 0, scopesKept }, later(hourMs));
      expect(await rotateAs(userId, revoked.key._id)).to.equal('not_found');
      expect(await rotateAs(userId, expired.key._id)).to.equal('not_found');
      const { key } = await add();
      expect(await rotateAs(userId + 1000, key._id)).to.equal('not_found');
    });
  });

  it('are revoked by their owner only', async () => {
    const { key, secret } = await add();
    expect(await models.apiKeys.revokeOwned(userId + 1000, key._id, start)).to.equal(null);
    expect(await refusalOf(secret, start)).to.equal(null);
    expect((await models.apiKeys.revokeOwned(userId, key._id, start))?.revokedAt).to.deep.equal(start);
    expect(await refusalOf(secret, start)).to.equal('revoked');
  });

  it('are listed separately, live and ended, newest first', async () => {
    const old = await add({ expiresAt: later(hourMs) });
    const issued = await models.apiKeyQuota.add({ ...newKey, userId }, later(1));
    const live = await models.apiKeys.listLive(userId, later(1));
    expect(live.map(({ _id }) => _id)).to.deep.equal([issued?.key._id, old.key._id]);
    const ended = await models.apiKeys.listEnded(userId, later(hourMs), 10);
    expect(ended.map(({ _id }) => _id)).to.deep.equal([old.key._id]);
  });

  it('record their use once a minute', async () => {
    const { key } = await add();
    const useAt = async (ms: number) => {
      const used = (await models.apiKeys.find(key._id)) ?? key;
      models.apiKeys.touch(used, later(ms));
    };
    const expectUse = (at: Date) =>
      eventually(async () => expect((await models.apiKeys.find(key._id))?.lastUsedAt).to.deep.equal(at));
    await useAt(0);
    await expectUse(start);
    await useAt(59_999);
    await expectUse(start);
    await useAt(60_000);
    await expectUse(later(60_000));
  });

  it('used by concurrent calls are written once', async () => {
    const { key } = await add();
    for (const ms of [0, 1, 2, 3, 59_000]) models.apiKeys.touch(key, later(ms));
    await eventually(async () => {
      const lastUsedAt = (await models.apiKeys.find(key._id))?.lastUsedAt;
      expect(lastUsedAt).to.deep.equal(start);
    });
  });
});
