/** Owners see every call of their keys, newest first, and totals by day and by key. */
import { expect } from 'chai';
import { signInAccount } from '../support/account.ts';
import { expectError } from '../support/expect-error.ts';
import { connectApp } from '../support/oauth-app.ts';
import { profile } from '../support/profiler.ts';
import { startTestService, type TestService, useService } from '../support/service.ts';

const dayMs = 24 * 60 * 60 * 1000;

describe('activity', () => {
  const service = useService({ hasApps: true, rateLimitPerMinute: 1_000_000 });
  let key: string;
  let prefix: string;
  let user: Awaited<ReturnType<TestService['addUser']>>;

  beforeEach(async () => {
    const added = await service.addKey();
    [key, prefix, user] = [added.secret, added.key.prefix, added.user];
  });

  const get = async (path: string, secret = key) => {
    await service.flushAudit();
    return service.call('GET', path, { key: secret });
  };
  const list = async (query = '') => (await get(`/activity${query}`)).body;
  const summary = async (query = '', secret = key) => (await get(`/activity/summary${query}`, secret)).body;

  describe('GET /activity', () => {
    it('lists each call with its outcome, key and address, newest first (200)', async () => {
      await service.call('POST', '/tickets', { key, body: { title: 'Lag', message: 'Since noon.' } });
      await service.call('GET', '/tickets/999', { key, headers: { 'X-Request-Id': 'mine' } });
      const { activity, has_more } = await list();
      expect(has_more).to.equal(false);
      expect(activity).to.have.lengthOf(2);
      const [missing, created] = activity;
      expect(missing).to.deep.equal({
        ...{ id: missing.id, at: missing.at, operation: 'tickets.get', target: '999', status: 404 },
        ...{ code: 'not_found', via: 'rest', key: { name: 'test', prefix }, app: null },
        ...{ address: '127.0.0.1', request_id: 'mine' },
      });
      expect(created).to.include({ operation: 'tickets.create', status: 201, code: null });
    });

    it('returns pages of `limit` and sets has_more while entries remain (200)', async () => {
      for (let count = 0; count < 5; count += 1) await service.call('GET', `/tickets/10${count}`, { key });
      const seen: string[] = [];
      let page = await list('?limit=2');
      for (let pages = 0; page.has_more && pages < 9; pages += 1) {
        seen.push(...page.activity.map(({ target }: { target: string }) => target));
        page = await list(`?limit=2&before=${page.activity.at(-1).id}`);
      }
      seen.push(...page.activity.map(({ target }: { target: string }) => target));
      // Calls of this list itself come first; pages go back from there.
      expect(seen.filter(Boolean)).to.deep.equal(['104', '103', '102', '101', '100']);
    });

    it('continues after an entry of the same millisecond (200)', async () => {
      const at = new Date();
      const entry = { at, userId: user._id, keyId: '', operation: null, target: null, status: 200 } as const;
      const same = ['a', 'b', 'c'].map((requestId) => ({ ...entry, code: null, address: '', requestId }));
      await service.models.auditEntries.store(same.map((each) => ({ ...each, via: 'rest' as const })));
      const [newest] = (await list('?limit=1')).activity;
      const { activity } = await list(`?limit=3&before=${newest.id}`);
      expect(activity.map(({ request_id }: { request_id: string }) => request_id)).to.deep.equal(['b', 'a']);
    });

    it("shows no entries before another user's entry or an unknown one (200)", async () => {
      const other = await service.addKey();
      await service.call('GET', '/me', { key: other.secret });
      await service.call('GET', '/me', { key });
      await service.flushAudit();
      const [theirs] = await service.models.auditEntries.listOwned({ userId: other.user._id, limit: 1 });
      const empty = { activity: [], has_more: false };
      expect(await list(`?before=${theirs?._id.toHexString()}`)).to.deep.equal(empty);
      expect(await list(`?before=${'0'.repeat(24)}`)).to.deep.equal(empty);
      expectError(
        await get('/activity?before=sample'),
        'bad_request',
        'before must be the id of an activity',
      );
    });

    it('shows sign-ins and changes on the account page, but not its page views (200)', async () => {
      const { api } = await signInAccount(service.url, user);
      await api.keys.list.query();
      await api.keys.create.mutate({ name: 'Deploy', scopes: ['read:account'], expires_at: null });
      const { activity } = await list();
      const shown = activity.map(({ operation, via, key: used }: Record<string, unknown>) => [
        operation,
        via,
        used,
      ]);
      expect(shown).to.deep.equal([
        ['keys.create', 'account', null],
        ['session.signIn', 'account', null],
      ]);
    });

    it('names the app that called, even after it is disconnected (200)', async () => {
      const { account, tokens } = await connectApp(service, { email: user.email });
      await service.call('GET', '/me', { key: tokens.access_token });
      const { apps } = await account.api.apps.list.query();
      const called = async () =>
        (await list()).activity.find(({ operation }: { operation: string }) => operation === 'account.me');
      expect(await called()).to.deep.include({ key: null, app: apps[0]?.app.name });
      await account.api.apps.revoke.mutate({ id: apps[0]?.id ?? '' });
      expect(await called()).to.deep.include({ key: null, app: 'An app that is no longer connected' });
    });
  });

  it('keeps the name of a deleted key on calls refused after it expired', async () => {
    const ended = await service.addKey({ user });
    await service.models.apiKeys.revoke(ended.key._id, new Date());
    await service.call('GET', '/me', { key: ended.secret });
    await service.flushAudit();
    await service.connection.collection<{ _id: string }>('api_keys').deleteOne({ _id: ended.key._id });
    const name = { name: 'test', prefix: ended.key.prefix };
    expect((await list()).activity[0]).to.deep.include({ status: 401, key: name });
    expect((await summary('?days=1')).keys).to.deep.include({ ...name, calls: 1, errors: 1 });
  });

  describe('GET /activity/summary', () => {
    it('lists every day, including days without calls, oldest first (200)', async () => {
      const today = new Date(service.clock.now());
      const { days, keys } = await summary('?days=3');
      const dates = [2, 1, 0].map((ago) =>
        new Date(today.getTime() - ago * dayMs).toISOString().slice(0, 10),
      );
      expect(days).to.deep.equal(dates.map((date) => ({ date, calls: 0, errors: 0 })));
      expect(keys).to.deep.equal([]);
      expect((await summary()).days).to.have.lengthOf(30);
    });

    it('counts calls and errors by day and by key, busiest first (200)', async () => {
      const quiet = await service.addKey({ user });
      const stranger = await service.addKey();
      for (let count = 0; count < 3; count += 1) await service.call('GET', '/me', { key });
      await service.call('GET', '/tickets/999', { key });
      await service.call('GET', '/me', { key: quiet.secret });
      await service.call('GET', '/me', { key: stranger.secret });
      const { days, keys } = await summary('?days=1');
      expect(days).to.deep.equal([{ date: days[0].date, calls: 5, errors: 1 }]);
      expect(keys).to.deep.equal([
        { name: 'test', prefix, calls: 4, errors: 1 },
        { name: 'test', prefix: quiet.key.prefix, calls: 1, errors: 0 },
      ]);
    });

    it('counts a call on the UTC day on which it was made (200)', async () => {
      const midnight = Math.ceil(service.clock.now() / dayMs) * dayMs;
      service.clock.advance(midnight - service.clock.now() - 5000);
      await service.call('GET', '/me', { key });
      service.clock.advance(10_000);
      await service.call('GET', '/me', { key });
      await service.call('GET', '/me', { key });
      const { days } = await summary('?days=2');
      expect(days.map(({ calls }: { calls: number }) => calls)).to.deep.equal([1, 2]);
    });

    it('counts refused calls of a revoked key and calls of apps, but no visits to the account page (200)', async () => {
      const revoked = await service.addKey({ user });
      await service.models.apiKeys.revoke(revoked.key._id, new Date());
      await service.call('GET', '/me', { key: revoked.secret });
      const { tokens } = await connectApp(service, { email: user.email });
      await service.call('GET', '/me', { key: tokens.access_token });
      const { days, keys } = await summary('?days=1');
      expect(days[0]).to.include({ calls: 2, errors: 1 });
      expect(keys.map(({ errors }: { errors: number }) => errors)).to.have.members([0, 1]);
      expect(keys.map((each: { prefix: string }) => each.prefix)).to.have.members([
        revoked.key.prefix,
        'gamehost_app_',
      ]);
    });

    it('reads at most 3,030 totals from the database and returns 130, however many keys made calls (200)', async () => {
      const counts = service.connection.collection<{ _id: string }>('activity_counts');
      const today = Math.floor(service.clock.now() / dayMs);
      const sums = Array.from({ length: 30 * 200 }, (_, index) => ({
        ...{ userId: user._id, day: new Date((today - (index % 30)) * dayMs), keyId: `key-${index % 200}` },
        ...{ _id: `sum-${index}`, clientId: '', calls: 1_000_000, failures: 0 },
      }));
      await counts.insertMany(sums);
      await service.flushAudit();
      const calls = await profile(service.connection, async () => {
        const { body } = await service.call('GET', '/activity/summary', { key });
        expect(body.keys).to.have.lengthOf(100);
      });
      const reads = calls.filter(({ ns, op }) => op !== 'insert' && /activity_counts|audit_entries/.test(ns));
      const examined = reads.reduce((total, { docsExamined = 0 }) => total + docsExamined, 0);
      expect(examined).to.be.within(3000, 3030);
      expect(reads.reduce((total, { nreturned = 0 }) => total + nreturned, 0)).to.be.at.most(130);
      expect(new Set(reads.map(({ planSummary }) => planSummary))).to.deep.equal(
        new Set(['IXSCAN { _id: 1 }', 'IXSCAN { userId: 1, day: -1 }']),
      );
    });

    it('shows a key restricted to servers only its own totals (200)', async () => {
      const { secret, key: own } = await service.models.apiKeys.issue(
        { userId: user._id, name: 'own', scopes: ['read:account'], expiresAt: null, servers: ['a1b2c3d4'] },
        new Date(),
      );
      for (const used of [key, secret, secret]) await service.call('GET', '/key', { key: used });
      await service.flushAudit();
      const calls = await profile(service.connection, async () => {
        const { body } = await service.call('GET', '/activity/summary?days=1', { key: secret });
        expect(body.days.map((day: { calls: number }) => day.calls)).to.deep.equal([2]);
        expect(body.keys).to.deep.equal([{ name: 'own', prefix: own.prefix, calls: 2, errors: 0 }]);
      });
      const plans = calls
        .filter(({ ns }) => ns.endsWith('activity_counts'))
        .map(({ planSummary }) => planSummary);
      expect(new Set(plans)).to.deep.equal(new Set(['IXSCAN { _id: 1 }']));
    });

    it('matches the audit although several processes store totals at once', async () => {
      const settings = { rateLimitPerMinute: 1_000_000, databaseUri: service.databaseUri };
      const other = await startTestService(settings);
      for (const { call, flushAudit, models } of [service, other]) {
        await Promise.all(Array.from({ length: 40 }, () => call('GET', '/me', { key })));
        await Promise.all([flushAudit(), flushAudit(), models.activityCounts.store()]);
      }
      await other.leave();
      // The two may fall on either side of midnight, because one test has moved the clock.
      const { days } = await summary('?days=3');
      expect(days.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0)).to.equal(80);
    });
  });
});
