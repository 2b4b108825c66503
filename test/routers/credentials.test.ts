/** Anyone who finds leaked keys and tokens can revoke them at once, and learns nothing about them. */
import { expect } from 'chai';
import { generateSecret } from '../../models/api-key/secret.ts';
import { signInAccount } from '../support/account.ts';
import { expectError } from '../support/expect-error.ts';
import { connectApp, refresh } from '../support/oauth-app.ts';
import { profile } from '../support/profiler.ts';
import { useService } from '../support/service.ts';

describe('POST /credentials/revoke', () => {
  const service = useService({ hasApps: true, config: { trustProxy: true } });
  let finders = 0;

  beforeEach(() => {
    finders += 1;
  });

  const report = (credentials: unknown, headers: Record<string, string> = {}) =>
    service.call('POST', '/credentials/revoke', {
      body: { credentials },
      headers: { 'X-Forwarded-For': `198.51.100.${finders}`, ...headers },
    });
  const statusWith = async (key: string) => (await service.call('GET', '/me', { key })).status;

  const revokedOf = async (userId: number) => {
    const revoked = { userId, type: 'key.revoked' };
    const events = await service.connection.collection('webhook_events').find(revoked).toArray();
    return events.map(({ data }) => data);
  };

  it('ends a key at once and shows its owner why (202)', async () => {
    const { user, secret, key } = await service.addKey();
    const answer = await report([secret]);
    expect([answer.status, answer.text]).to.deep.equal([202, '{"accepted":1}']);
    expectError(await service.call('GET', '/me', { key: secret }), 'unauthorized', 'API key revoked');
    const { api } = await signInAccount(service.url, user);
    const { ended } = await api.keys.list.query();
    expect(ended.map(({ id, state, is_leaked }) => [id, state, is_leaked])).to.deep.equal([
      [key._id, 'revoked', true],
    ]);
    const { activity } = await api.activity.list.query({});
    const seen = activity.find(({ operation }) => operation === 'credentials.revoke');
    expect(seen).to.include({ target: key.prefix, status: 202, key: null });
  });

  it("hides from the owner's activity the reporter's address, which the audit keeps (202)", async () => {
    const { user, secret } = await service.addKey();
    const { secret: other } = await service.addKey({ user });
    await report([secret]);
    const { api } = await signInAccount(service.url, user);
    const lists = [
      (await service.call('GET', '/activity', { key: other })).body,
      (await service.callAt('GET', '/trpc/activity.list?input={}', { key: other })).body.result.data,
      await api.activity.list.query({}),
    ];
    for (const { activity } of lists) {
      const seen = activity.find(
        ({ operation }: { operation: string }) => operation === 'credentials.revoke',
      );
      expect(seen).to.include({ address: '', status: 202 });
    }
    const entries = await service.models.auditEntries.list({ userId: user._id, limit: 100 });
    const revoked = entries.find(({ operation }) => operation === 'credentials.revoke');
    expect(revoked?.address).to.equal(`198.51.100.${finders}`);
  });

  it('answers the same bytes and the number sent, whatever exists (202)', async () => {
    const { secret } = await service.addKey();
    const lists = [[secret], [secret], [generateSecret()], [''], ['no key at all'], ['gamehost_app_unknown']];
    const answers = [];
    for (const credentials of lists) answers.push(await report(credentials));
    const bytes = answers.map(({ status, text, headers }) => {
      const compared = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
      return JSON.stringify([status, text, compared]);
    });
    expect(new Set(bytes).size).to.equal(1);
    expect((await report(Array(100).fill('x'))).body).to.deep.equal({ accepted: 100 });
  });

  it('looks up all strings together with the same queries, whatever they are (202)', async () => {
    const base64 = (length: number) => 'x'.repeat(length);
    const kinds = ['no key at all', generateSecret(), `gamehost_refresh_${base64(108)}`];
    const queried = [];
    for (const kind of kinds) {
      const calls = await profile(service.connection, async () => void (await report(Array(100).fill(kind))));
      queried.push(calls.filter(({ op }) => op === 'query').map(({ ns }) => ns.replace(/.*\./, '')));
    }
    const once = ['api_keys', 'oauth_tokens', 'oauth_grants'];
    expect(queried).to.deep.equal([once, once, once]);
  });

  for (const kind of ['access_token', 'refresh_token'] as const)
    it(`ends the whole connection of a leaked ${kind} and no other (202)`, async () => {
      const user = await service.addUser();
      const [leaked, other] = [await connectApp(service, user), await connectApp(service, user)];
      expect((await report([leaked.tokens[kind]])).status).to.equal(202);
      expect(await statusWith(leaked.tokens.access_token)).to.equal(401);
      expect(await statusWith(other.tokens.access_token)).to.equal(200);
      const { apps } = await other.account.api.apps.list.query();
      expect(apps).to.have.lengthOf(1);
    });

  it('ends the whole connection of a leaked refresh token that was renewed long ago (202)', async () => {
    const { clientId, tokens } = await connectApp(service, await service.addUser());
    let newest = tokens;
    for (let renewals = 0; renewals < 5; renewals += 1)
      newest = (await refresh(service, clientId, newest.refresh_token)).body;
    expect(await statusWith(newest.access_token)).to.equal(200);
    await report([`${tokens.refresh_token.slice(0, -50)}${'x'.repeat(50)}`]);
    expect(await statusWith(newest.access_token)).to.equal(200);
    await report([tokens.refresh_token]);
    expect(await statusWith(newest.access_token)).to.equal(401);
  });

  it('accepts a hundred of the longest strings without a key over REST and tRPC, and answers 413 beyond (202)', async () => {
    const longest = Array(100).fill('x'.repeat(256));
    expect((await report(longest)).status).to.equal(202);
    const headers = { 'X-Forwarded-For': '203.0.113.77' };
    const body = { credentials: longest };
    const answer = await service.callAt('POST', '/trpc/credentials.revoke', { body, headers });
    expect(answer.status).to.equal(200);
    expect((await report(Array(200).fill('x'.repeat(256)))).status).to.equal(413);
  });

  it('ends only a rotated key, not its successor (202)', async () => {
    const { user, secret, key } = await service.addKey();
    const rotation = { userId: user._id, id: key._id, overlapMs: 60_000, allowedScopes: key.scopes };
    const successor = await service.models.transaction((session) =>
      service.models.apiKeys.rotate(rotation, new Date(), session),
    );
    if (typeof successor === 'string') throw new Error(successor);
    await report([secret]);
    expect([await statusWith(secret), await statusWith(successor.secret)]).to.deep.equal([401, 200]);
  });

  it('ends many keys of several owners in one call and leaves earlier revocations unchanged (202)', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => service.addKey()));
    const revokedBefore = await service.addKey();
    await service.models.apiKeys.revoke(revokedBefore.key._id, new Date());
    await report([...keys, revokedBefore].map(({ secret }) => secret));
    for (const { secret } of keys) expect(await statusWith(secret)).to.equal(401);
    expect((await service.models.apiKeys.find(revokedBefore.key._id))?.revokedReason).to.equal(null);
  });

  it('turns off only webhooks created by a leaked key, and sends key.revoked with its reason (202)', async () => {
    const { user, secret } = await service.addKey();
    const { secret: other } = await service.addKey({ user });
    const create = async (key: string) => {
      const body = { url: 'https://example.com/hook', events: ['key.revoked'] };
      return (await service.call('POST', '/webhooks', { key, body })).body.webhook.id;
    };
    const [made, kept] = [await create(secret), await create(other)];
    await report([secret]);
    const { webhooks } = (await service.call('GET', '/webhooks', { key: other })).body;
    const states = webhooks.map(({ id, active, disabled_reason }: Record<string, unknown>) => [
      ...[id, active, disabled_reason],
    ]);
    expect(states).to.have.deep.members([
      [made, false, 'The key or app that made it was revoked as leaked'],
      [kept, true, null],
    ]);
    expect((await revokedOf(user._id)).map(({ reason }) => reason)).to.deep.equal(['leaked']);
  });

  it('sends key.revoked for a leaked token with the same app details as GET /key (202)', async () => {
    const { user, secret } = await service.addKey();
    const body = { url: 'https://example.com/hook', events: ['key.revoked'] };
    expect((await service.call('POST', '/webhooks', { key: secret, body })).status).to.equal(201);
    const { tokens } = await connectApp(service, user);
    const { key } = (await service.call('GET', '/key', { key: tokens.access_token })).body;
    await report([tokens.refresh_token]);
    const { name, prefix, scopes, expires_at } = key;
    expect(await revokedOf(user._id)).to.deep.equal([
      { key: { name, prefix, scopes, expires_at }, reason: 'leaked' },
    ]);
  });

  for (const kind of ['key', 'access_token'] as const)
    it(`repeats in full a report of a leaked ${kind} that failed halfway (202)`, async () => {
      const { user, secret } = await service.addKey();
      const leaked = kind === 'key' ? secret : (await connectApp(service, user)).tokens.access_token;
      const refuseEntries = (validator: object) =>
        service.connection.db?.command({ collMod: 'audit_entries', validator });
      await refuseEntries({ operation: { $ne: 'credentials.revoke' } });
      expect((await report([leaked])).status).to.equal(500);
      await refuseEntries({});
      expect((await report([leaked])).status).to.equal(202);
      expect(await statusWith(leaked)).to.equal(401);
      await service.flushAudit();
      const entries = await service.models.auditEntries.list({ userId: user._id, limit: 100 });
      const revocations = entries.filter(({ operation }) => operation === 'credentials.revoke');
      expect(revocations).to.have.lengthOf(1);
    });

  it('needs no key and ignores credentials in headers (202)', async () => {
    const { secret } = await service.addKey();
    for (const headers of [
      { Authorization: 'Bearer nonsense' },
      { Authorization: `Bearer ${generateSecret()}` },
      { Authorization: `Bearer ${secret}`, 'X-API-Key': generateSecret() },
      { Authorization: `Bearer ${secret}` },
      { 'Idempotency-Key': 'é' },
    ])
      expect((await report(['x'], headers)).text).to.equal('{"accepted":1}');
    const { headers } = await service.call('GET', '/me', { key: secret });
    expect(headers.get('X-RateLimit-Remaining')).to.equal('119');
  });

  it("refuses an address's 61st call within an hour while other addresses continue (429)", async () => {
    for (let count = 0; count < 60; count += 1) expect((await report(['x'])).status).to.equal(202);
    const { secret } = await service.addKey();
    const answer = await report([secret]);
    expect([answer.status, answer.body.error.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(answer.headers.get('Retry-After'))).to.be.within(3500, 3601);
    expect(await statusWith(secret)).to.equal(200);
    finders += 1;
    expect((await report([secret])).status).to.equal(202);
  });

  it('stores and logs nothing that was sent', async () => {
    const { secret } = await service.addKey();
    const sent = ['a-string-that-somebody-sent', secret];
    await report(sent);
    await report([{ wrong: secret }]);
    const stored = await Promise.all(
      (await service.connection.listCollections()).map(({ name }) =>
        service.connection.collection(name).find().toArray(),
      ),
    );
    for (const text of sent)
      expect(JSON.stringify(stored) + service.logLines.join()).to.not.include(text.slice(0, 27));
  });
});
