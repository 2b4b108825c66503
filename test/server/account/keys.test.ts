/** Keys managed on the account page; every change is in force at the API's next request. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { type Account, signedIn } from '../../support/account.ts';
import { failureOf } from '../../support/failure-of.ts';
import { useService } from '../../support/service.ts';

const hourMs = 60 * 60 * 1000;
const request = { name: 'Deploy', scopes: ['read:account', 'read:catalog'] as const, expires_at: null };

describe("a user's keys", () => {
  const service = useService();
  let user: UserRecord;
  let account: Account;

  beforeEach(async () => {
    user = await service.addUser();
    account = await signedIn(service.url, user);
  });

  const create = (overrides: { name?: string; expires_at?: string | null } = {}) =>
    account.api.keys.create.mutate({ ...request, scopes: [...request.scopes], ...overrides });
  const statusWith = async (key: string) => (await service.call('GET', '/me', { key })).status;
  const at = (ms: number) => new Date(service.clock.now() + ms).toISOString();

  it('work at once, with the chosen scopes and expiry', async () => {
    const expires_at = at(hourMs);
    const { secret, key } = await create({ expires_at });
    const answer = await service.call('GET', '/key', { key: secret });
    expect(answer.body).to.deep.equal({
      key: {
        name: 'Deploy',
        prefix: key.prefix,
        scopes: ['read:account', 'read:catalog'],
        servers: null,
        addresses: null,
        expires_at,
        limit: { calls_per_minute: 120 },
      },
    });
  });

  it('are listed without their secrets', async () => {
    const { key, secret } = await create();
    const list = await account.api.keys.list.query();
    expect(list.live).to.deep.equal([{ ...key, calls_left: 120, calls_per_minute: 120 }]);
    expect(key).to.have.all.keys(
      ...[
        'id',
        'name',
        'prefix',
        'scopes',
        'servers',
        'addresses',
        'state',
        'created_at',
        'expires_at',
        'last_used_at',
        'revoked_at',
        'is_leaked',
        'is_leaked',
      ],
    );
    expect({ ...list, live: list.live.length }).to.deep.include({
      ...{ live: 1, ended: [], live_max: 25, calls_per_minute: 120 },
    });
    expect(JSON.stringify(list)).not.to.include(secret.slice(key.prefix.length));
  });

  it('show their last use and the calls left in the current minute', async () => {
    const { secret } = await create();
    const before = service.clock.now();
    for (let call = 0; call < 3; call += 1) await service.call('GET', '/me', { key: secret });
    const [used] = (await account.api.keys.list.query()).live;
    expect(used?.calls_left).to.equal(117);
    expect(Date.parse(used?.last_used_at ?? '')).to.be.within(before, service.clock.now());
  });

  it('do not count refused calls as use', async () => {
    const { key, secret } = await create();
    await account.api.keys.revoke.mutate({ id: key.id });
    expect(await statusWith(secret)).to.equal(401);
    const [ended] = (await account.api.keys.list.query()).ended;
    expect(ended).to.include({ id: key.id, state: 'revoked', last_used_at: null });
  });

  it('are refused from the first request after their revocation', async () => {
    const { key, secret } = await create();
    expect(await statusWith(secret)).to.equal(200);
    await account.api.keys.revoke.mutate({ id: key.id });
    const answer = await service.call('GET', '/me', { key: secret });
    expect([answer.status, answer.body.error.message]).to.deep.equal([401, 'API key revoked']);
  });

  it('are rotated without overlap: only the new secret works', async () => {
    const old = await create();
    const { secret, key } = await account.api.keys.rotate.mutate({ id: old.key.id, overlap_hours: 0 });
    expect(key).to.deep.include({ name: 'Deploy', scopes: old.key.scopes, expires_at: null, state: 'live' });
    expect([await statusWith(secret), await statusWith(old.secret)]).to.deep.equal([200, 401]);
  });

  it('are rotated with overlap: both secrets work, then only the new one', async () => {
    const old = await create();
    const { secret } = await account.api.keys.rotate.mutate({ id: old.key.id, overlap_hours: 1 });
    const { live } = await account.api.keys.list.query();
    expect(live.map(({ state }) => state)).to.deep.equal(['live', 'replaced']);
    expect([await statusWith(secret), await statusWith(old.secret)]).to.deep.equal([200, 200]);
    service.clock.advance(hourMs);
    expect([await statusWith(secret), await statusWith(old.secret)]).to.deep.equal([200, 401]);
  });

  it('are rotated only once: the second rotation is refused with 400', async () => {
    const { key } = await create();
    await account.api.keys.rotate.mutate({ id: key.id, overlap_hours: 24 });
    const again = account.api.keys.rotate.mutate({ id: key.id, overlap_hours: 24 });
    expect((await failureOf(again)).message).to.equal('The key has been rotated already');
  });

  it('are hidden from other users: 404, exactly as for a missing key', async () => {
    const { key, secret } = await create();
    const otherUser = await signedIn(service.url, await service.addUser());
    const messages = async (id: string) => [
      (await failureOf(otherUser.api.keys.revoke.mutate({ id }))).message,
      (await failureOf(otherUser.api.keys.rotate.mutate({ id, overlap_hours: 0 }))).message,
    ];
    expect(await messages(key.id)).to.deep.equal(['Key not found', 'Live key not found']);
    expect(await messages('missing')).to.deep.equal(await messages(key.id));
    expect((await otherUser.api.keys.list.query()).live).to.deep.equal([]);
    expect(await statusWith(secret)).to.equal(200);
  });

  it('get admin scopes only while their owner is an administrator', async () => {
    const asked = { ...request, scopes: ['admin:announcements' as const] };
    const names = async () =>
      (await account.api.keys.list.query()).grantable_scopes.map(({ scope }) => scope);
    expect(await names()).not.to.include('admin:announcements');
    expect((await failureOf(account.api.keys.create.mutate(asked))).message).to.equal(
      'scopes must not have admin:announcements: your account lacks the role for it',
    );
    await service.models.users.change(user.email, { isAdmin: true });
    expect(await names()).to.include('admin:announcements');
    const { secret } = await account.api.keys.create.mutate(asked);
    expect((await service.call('GET', '/admin/announcements', { key: secret })).status).to.equal(200);
  });

  it('get admin:tickets and no other admin scope while their owner is support', async () => {
    await service.models.users.change(user.email, { isAdmin: false, isSupport: true });
    const { grantable_scopes } = await account.api.keys.list.query();
    const adminScopes = grantable_scopes.map(({ scope }) => scope).filter((scope) => /^admin:/.test(scope));
    expect(adminScopes).to.deep.equal(['admin:tickets']);
    const create = (scope: 'admin:tickets' | 'admin:users') =>
      account.api.keys.create.mutate({ ...request, scopes: [scope] });
    expect((await failureOf(create('admin:users'))).message).to.equal(
      'scopes must not have admin:users: your account lacks the role for it',
    );
    const { secret } = await create('admin:tickets');
    const status = async () => (await service.call('GET', '/admin/tickets', { key: secret })).status;
    expect(await status()).to.equal(200);
    await service.models.users.change(user.email, { isSupport: false });
    expect(await status()).to.equal(403);
  });

  it('leave an audit entry for every change, with user and key', async () => {
    const { key } = await create();
    await account.api.keys.revoke.mutate({ id: key.id });
    const entries = await service.models.auditEntries.list({ userId: user._id, limit: 2 });
    expect(
      entries.map(({ operation, target, via, keyId, status }) => [operation, target, via, keyId, status]),
    ).to.deep.equal([
      ['keys.revoke', key.id, 'account', '', 200],
      ['keys.create', key.id, 'account', '', 200],
    ]);
  });

  it('are never stored or logged in clear, nor is the password', async () => {
    const { secret } = await create();
    const { secret: rotated } = await account.api.keys.rotate.mutate({
      id: (await create()).key.id,
      overlap_hours: 1,
    });
    const kept = await Promise.all(
      (await service.connection.listCollections()).map(({ name }) =>
        service.connection.collection(name).find().toArray(),
      ),
    );
    const everything = JSON.stringify(kept) + service.logLines.join();
    for (const hidden of [secret, rotated, 'correct horse', ...account.cookies.values()])
      expect(everything).not.to.include(hidden);
  });
});
