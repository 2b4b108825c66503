/** A user's keys: at most 25 live ones, atomic rotation, use recorded once a minute. */

import { expect } from 'chai';
import { liveKeysMax } from '../../models/bounds.ts';
import { eventually } from '../support/eventually.ts';
import { openTestModels, type TestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

const hourMs = 60 * 60_000;
const start = new Date();
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

  const add = (now = start) =>
    models.transaction((session) => models.apiKeys.add({ ...newKey, userId }, now, session));
  const issue = (expiresAt: Date | null = null) =>
    models.apiKeys.issue({ ...newKey, expiresAt, userId }, start);
  const issueMany = (count: number) => Promise.all(Array.from({ length: count }, () => issue()));
  const rotate = (id: string, overlapMs: number, now = start) =>
    models.transaction((session) =>
      models.apiKeys.rotate({ userId, id, overlapMs, scopesKept }, now, session),
    );
  const refusalOf = async (secret: string, now: Date) => (await models.apiKeys.verify(secret, now)).refusal;

  it('leave no record of their number a day after the last change', async () => {
    await add();
    const records = stores.connection.collection<{ _id: number; changedAt: Date }>('key_rings');
    expect((await records.findOne({ _id: userId }))?.changedAt).to.be.a('date');
    const lifetimes = (await records.indexes()).map(({ key, expireAfterSeconds }) => [
      key,
      expireAfterSeconds,
    ]);
    expect(lifetimes).to.deep.include([{ changedAt: 1 }, 24 * 60 * 60]);
  });

  it('are at most 25, also under concurrent requests', async () => {
    await issueMany(liveKeysMax - 3);
    const added = await Promise.all(Array.from({ length: 5 }, () => add()));
    expect(added.filter((key) => key !== null)).to.have.length(3);
    expect(await models.apiKeys.listLive(userId, start)).to.have.length(liveKeysMax);
  });

  it('free their place when they are revoked or expire', async () => {
    const [first] = await issueMany(liveKeysMax - 1);
    await issue(later(hourMs));
    expect(await add()).to.equal(null);
    await models.apiKeys.revoke(first?.key._id ?? '', start, { userId });
    expect(await add()).not.to.equal(null);
    expect(await add()).to.equal(null);
    expect(await add(later(hourMs))).not.to.equal(null);
  });

  describe('rotated', () => {
    for (const [what, { expiresAt, overlapMs, endsAfterMs }] of Object.entries({
      'without overlap end at once': { expiresAt: null, overlapMs: 0, endsAfterMs: 0 },
      'stay valid for the overlap and no longer': {
        ...{ expiresAt: null, overlapMs: 24 * hourMs, endsAfterMs: 24 * hourMs },
      },
      'never outlive their own expiry': {
        ...{ expiresAt: later(hourMs), overlapMs: 24 * hourMs, endsAfterMs: hourMs },
      },
    }))
      it(what, async () => {
        const old = await issue(expiresAt);
        await rotate(old.key._id, overlapMs);
        if (endsAfterMs > 0) expect(await refusalOf(old.secret, later(endsAfterMs - 1))).to.equal(null);
        expect(await refusalOf(old.secret, later(endsAfterMs))).to.equal('expired');
      });

    it('concurrently are replaced once', async () => {
      const { key } = await issue();
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => rotate(key._id, hourMs)));
      expect(outcomes.filter((outcome) => outcome === 'replaced')).to.have.length(4);
      expect(await models.apiKeys.listLive(userId, start)).to.have.length(2);
    });

    it('at the quota are refused with overlap, as both would be live, and allowed without', async () => {
      const [first] = await issueMany(liveKeysMax);
      const id = first?.key._id ?? '';
      expect(await rotate(id, hourMs)).to.equal('full');
      expect(await rotate(id, 0)).to.be.an('object');
    });

    it('are not found when they are revoked or expired', async () => {
      const [revoked, expired] = await Promise.all([issue(), issue(later(hourMs))]);
      await models.apiKeys.revoke(revoked.key._id, start);
      for (const { key } of [revoked, expired])
        expect(await rotate(key._id, 0, later(hourMs))).to.equal('not_found');
    });
  });

  it('are listed separately, live and ended, newest first', async () => {
    const old = await issue(later(hourMs));
    const issued = await add(later(1));
    const live = await models.apiKeys.listLive(userId, later(1));
    expect(live.map(({ _id }) => _id)).to.deep.equal([issued?.key._id, old.key._id]);
    const ended = await models.apiKeys.listEnded(userId, later(hourMs), 10);
    expect(ended.map(({ _id }) => _id)).to.deep.equal([old.key._id]);
  });

  it('record their use once a minute, also by concurrent calls', async () => {
    const { key } = await issue();
    const useAt = async (ms: number) => {
      const used = (await models.apiKeys.find(key._id)) ?? key;
      models.apiKeys.touch(used, later(ms));
    };
    const expectUse = (at: Date) =>
      eventually(async () => expect((await models.apiKeys.find(key._id))?.lastUsedAt).to.deep.equal(at));
    for (const ms of [0, 1, 2, 3, 59_000]) models.apiKeys.touch(key, later(ms));
    await expectUse(start);
    await useAt(59_999);
    await expectUse(start);
    await useAt(60_000);
    await expectUse(later(60_000));
  });
});
