/** Keys managed on the account page: every change applies from the API's next request, and wrong ones are refused. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { scopes } from '../../../routers/scopes.ts';
import { type Account, signInAccount } from '../../support/account.ts';
import { failureOf } from '../../support/failure-of.ts';
import { profile } from '../../support/profiler.ts';
import { useService } from '../../support/service.ts';
import { storedText } from '../../support/stored-text.ts';

const hourMs = 60 * 60 * 1000;
const request = { name: 'Deploy', scopes: ['read:account' as const], expires_at: null };

describe("a user's keys", () => {
  const service = useService();
  let user: UserRecord;
  let account: Account;

  beforeEach(async () => {
    user = await service.addUser();
    account = await signInAccount(service.url, user);
  });

  const create = (overrides = {}) => account.api.keys.create.mutate({ ...request, ...overrides });
  const rotate = (id: string, overlap_hours: 0 | 1) => account.api.keys.rotate.mutate({ id, overlap_hours });
  const statusWith = async (key: string, path = '/me') => (await service.call('GET', path, { key })).status;

  it('work at once with the chosen scopes and expiry', async () => {
    const expires_at = new Date(service.clock.now() + hourMs).toISOString();
    const { secret, key } = await create({ expires_at });
    const answer = await service.call('GET', '/key', { key: secret });
    expect(answer.body.key).to.deep.include({
      ...{ name: 'Deploy', prefix: key.prefix, scopes: ['read:account'], expires_at },
    });
  });

  it('are listed without their secrets', async () => {
    const { key, secret } = await create();
    const list = await account.api.keys.list.query();
    expect(list.live).to.deep.equal([
      { ...key, calls_left: 120, calls_per_minute: 120, inactive_scopes: [] },
    ]);
    expect(key).to.have.all.keys([
      ...['id', 'name', 'prefix', 'scopes', 'servers', 'addresses', 'state', 'created_at'],
      ...['expires_at', 'last_used_at', 'revoked_at', 'is_leaked'],
    ]);
    expect(list).to.deep.include({ ended: [], live_max: 25, calls_per_minute: 120 });
    expect(JSON.stringify(list)).not.to.include(secret.slice(key.prefix.length));
  });

  it('cost no more to list, create and rotate after thousands have ended', async () => {
    const ended = Array.from({ length: 3000 }, (_, index) => {
      const at = new Date(service.clock.now() - index * 60_000);
      const end = index % 2 === 0 ? { revokedAt: at, expiresAt: null } : { revokedAt: null, expiresAt: at };
      const id = `${user._id}-${index}`;
      return { _id: id, userId: user._id, name: id, hash: id, prefix: id, scopes: [], createdAt: at, ...end };
    });
    await service.connection.collection<{ _id: string }>('api_keys').insertMany(ended);
    const { key } = await create();
    const calls = await profile(service.connection, async () => {
      const list = await account.api.keys.list.query();
      expect(list.live.map(({ id }) => id)).to.deep.equal([key.id]);
      const newest = Array.from({ length: 20 }, (_, index) => `${user._id}-${index}`);
      expect(list.ended.map(({ id }) => id)).to.deep.equal(newest);
      await rotate((await create()).key.id, 0);
    });
    const reads = calls.filter(({ ns, op }) => ns.endsWith('.api_keys') && op !== 'insert');
    expect(Math.max(...reads.map(({ keysExamined = 0 }) => keysExamined))).to.be.at.most(30);
  });

  it('are removed ninety days after their end, like the audit', async () => {
    const indexes = await service.connection.collection('api_keys').indexes();
    const lifetimes = indexes.map(({ key, expireAfterSeconds }) => [Object.keys(key), expireAfterSeconds]);
    const ninetyDays = 90 * 24 * 60 * 60;
    for (const field of ['revokedAt', 'expiresAt']) expect(lifetimes).to.deep.include([[field], ninetyDays]);
  });

  it('show their last use and the calls left in the current minute', async () => {
    const { secret } = await create();
    const before = service.clock.now();
    for (let call = 0; call < 3; call += 1) await statusWith(secret);
    const [used] = (await account.api.keys.list.query()).live;
    expect(used?.calls_left).to.equal(117);
    expect(Date.parse(used?.last_used_at ?? '')).to.be.within(before, service.clock.now());
  });

  it('are refused from the first request after their revocation, which does not count as use', async () => {
    const { key, secret } = await create();
    await account.api.keys.revoke.mutate({ id: key.id });
    const answer = await service.call('GET', '/me', { key: secret });
    expect([answer.status, answer.body.error.message]).to.deep.equal([401, 'API key revoked']);
    const [ended] = (await account.api.keys.list.query()).ended;
    expect(ended).to.include({ id: key.id, state: 'revoked', last_used_at: null });
  });

  it('are rotated without overlap: only the new secret works', async () => {
    const old = await create();
    const { secret, key } = await rotate(old.key.id, 0);
    expect(key).to.deep.include({ name: 'Deploy', scopes: old.key.scopes, expires_at: null, state: 'live' });
    expect([await statusWith(secret), await statusWith(old.secret)]).to.deep.equal([200, 401]);
  });

  it('are rotated with overlap once: both secrets work, then only the new one', async () => {
    const old = await create();
    const { secret } = await rotate(old.key.id, 1);
    expect((await failureOf(rotate(old.key.id, 1))).message).to.equal('The key has already been rotated');
    const { live } = await account.api.keys.list.query();
    expect(live.map(({ state }) => state)).to.deep.equal(['live', 'replaced']);
    expect([await statusWith(secret), await statusWith(old.secret)]).to.deep.equal([200, 200]);
    service.clock.advance(hourMs);
    expect([await statusWith(secret), await statusWith(old.secret)]).to.deep.equal([200, 401]);
  });

  for (const [role, granted, path, others] of [
    ['isAdmin', 'admin:announcements', '/admin/announcements', []],
    ['isSupport', 'admin:tickets', '/admin/tickets', ['admin:users']],
  ] as const)
    it(`receive ${granted} only while their owner has the role ${role}`, async () => {
      const offered = async () =>
        (await account.api.keys.list.query()).grantable_scopes.map(({ scope }) => scope);
      const expectRefused = async (scope: string) => {
        expect(await offered()).not.to.include(scope);
        expect((await failureOf(create({ scopes: [scope] }))).message).to.equal(
          `scopes must not include ${scope}: your account lacks the role for it`,
        );
      };
      await expectRefused(granted);
      await service.models.users.change(user.email, { [role]: true });
      expect(await offered()).to.include(granted);
      for (const other of others) await expectRefused(other);
      const { secret } = await create({ scopes: [granted] });
      expect(await statusWith(secret, path)).to.equal(200);
      await service.models.users.change(user.email, { [role]: false });
      expect(await statusWith(secret, path)).to.equal(403);
      const [held] = (await account.api.keys.list.query()).live;
      const reason = 'Your account lacks the role for it';
      expect(held).to.deep.include({ scopes: [], inactive_scopes: [{ scope: granted, reason }] });
    });

  it('are never stored or logged in clear, and neither is the password', async () => {
    const { secret, key } = await create();
    const { secret: rotated } = await rotate(key.id, 1);
    const everything = (await storedText(service)) + service.logLines.join();
    for (const hidden of [secret, rotated, 'correct horse', ...account.cookies.values()])
      expect(everything).not.to.include(hidden);
  });

  it('can be renamed by their owner alone: the secret and the scopes stay', async () => {
    const { secret, key } = await create();
    const { key: renamed } = await account.api.keys.rename.mutate({ id: key.id, name: ' Nightly backup ' });
    expect(renamed).to.deep.equal({ ...key, name: 'Nightly backup' });
    const named = async () => (await service.call('GET', '/key', { key: secret })).body.key;
    expect(await named()).to.include({ name: 'Nightly backup', prefix: key.prefix });
    const other = await signInAccount(service.url, await service.addUser());
    for (const [caller, id] of [
      [other, key.id],
      [account, 'unknown'],
    ] as const) {
      const { status, body } = await caller.call('keys.rename', { id, name: 'Mine' });
      expect([status, body.error.message]).to.deep.equal([404, 'Key not found']);
    }
    for (const input of [{ name: ' ' }, { name: 'x'.repeat(101) }, { name: 'a', scopes: ['read:files'] }])
      expect((await account.call('keys.rename', { id: key.id, ...input })).status).to.equal(400);
    expect(await named()).to.include({ name: 'Nightly backup' });
    await service.flushAudit();
    const entries = await service.models.auditEntries.list({ userId: user._id, limit: 20 });
    expect(entries.some((entry) => entry.operation === 'keys.rename' && entry.target === key.id)).to.equal(
      true,
    );
  });

  const refused: Record<string, [overrides: object, message: string]> = {
    'without name': [{ name: '   ' }, 'name must not be empty'],
    'with a name too long': [{ name: 'x'.repeat(101) }, 'name must be at most 100 characters'],
    'without scope': [{ scopes: [] }, 'scopes must not be empty'],
    'with an unknown scope': [{ scopes: ['write:all'] }, `scopes.0 must be one of ${scopes.join(', ')}`],
    'with an expiry in the past': [
      { expires_at: '2020-01-01T00:00:00Z' },
      'expires_at must be in the future',
    ],
    'with an expiry that is no date': [
      { expires_at: 'tomorrow' },
      'expires_at must be a date and time with a zone, such as 2026-11-21T09:30:00Z or 2026-11-21T10:30:00+01:00',
    ],
    'with an unknown field': [{ userId: 1 }, 'userId is not a known field'],
    'with an operator object': [{ name: { $ne: '' } }, 'name must be a string'],
  };
  for (const [what, [overrides, message]] of Object.entries(refused))
    it(`400 bad_request: are not created ${what}`, async () => {
      const { status, body } = await account.call('keys.create', { ...request, ...overrides });
      expect([status, body.error.message]).to.deep.equal([400, message]);
    });

  it('400 bad_request: are rotated only with an offered overlap', async () => {
    const { body } = await account.call('keys.rotate', { id: 'any', overlap_hours: 1000 });
    expect(body.error.message).to.equal('overlap_hours must be one of 0, 1, 24');
  });
});
