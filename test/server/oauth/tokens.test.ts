/** Codes and tokens of apps: misuse fails in every process, and legitimate use continues. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { allow, begin, connectApp, exchange, postForm, refresh, register } from '../../support/oauth-app.ts';
import { startTestService, type TestService, useService } from '../../support/service.ts';
import { useStarted } from '../../support/use-started.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const invalidGrant = [400, 'invalid_grant'];

describe("an app's tokens", () => {
  const service = useService({ hasApps: true });
  let user: UserRecord;

  beforeEach(async () => {
    service.clock.advance(60 * minuteMs); // past the rate limits that earlier tests used up
    user = await service.addUser();
  });

  const connect = () => connectApp(service, { email: user.email });
  const statusOf = async (token: string, at: TestService = service) =>
    (await at.call('GET', '/me', { key: token })).status;
  const refusal = async (answer: ReturnType<typeof refresh>) => {
    const { status, body } = await answer;
    return [status, body.error];
  };

  it('are valid for an hour and renewable, as long as each renewal comes within thirty days', async () => {
    const { tokens, clientId } = await connect();
    service.clock.advance(61 * minuteMs);
    expect(await statusOf(tokens.access_token)).to.equal(401);
    service.clock.advance(29 * dayMs);
    const { body } = await refresh(service, clientId, tokens.refresh_token);
    expect(await statusOf(body.access_token)).to.equal(200);
    service.clock.advance(30 * dayMs + minuteMs);
    expect(await refusal(refresh(service, clientId, body.refresh_token))).to.deep.equal(invalidGrant);
  });

  it('can be renewed any number of times, in turn or at once, with few stored, until reuse of the first one ends all', async () => {
    const { tokens, clientId } = await connect();
    let last = tokens;
    for (let count = 0; count < 21; count += 1)
      last = (await refresh(service, clientId, last.refresh_token)).body;
    const atOnce = Array.from({ length: 21 }, () => refresh(service, clientId, last.refresh_token));
    const renewed = (await Promise.all(atOnce)).map(({ status }) => status);
    expect(new Set(renewed)).to.deep.equal(new Set([200]));
    const stored = service.connection.collection('oauth_tokens');
    const countOf = (consumedAt: object | null) =>
      stored.countDocuments({ kind: 'RefreshToken', userId: user._id, consumedAt } as never);
    expect(await countOf(null)).to.be.within(1, 20);
    expect(await countOf({ $ne: null })).to.be.within(1, 20);
    service.clock.advance(31_000);
    expect(await statusOf(last.access_token)).to.equal(200);
    expect(await refusal(refresh(service, clientId, tokens.refresh_token))).to.deep.equal(invalidGrant);
    expect(await statusOf(last.access_token)).to.equal(401);
    expect(await refusal(refresh(service, clientId, last.refresh_token))).to.deep.equal(invalidGrant);
  });

  it('end 180 days after the user allowed them', async () => {
    const { tokens, clientId } = await connect();
    let last = tokens;
    for (let days = 0; days < 174; days += 29) {
      service.clock.advance(29 * dayMs);
      last = (await refresh(service, clientId, last.refresh_token)).body;
      expect(await statusOf(last.access_token)).to.equal(200);
    }
    service.clock.advance(7 * dayMs);
    expect(await refusal(refresh(service, clientId, last.refresh_token))).to.deep.equal(invalidGrant);
  });

  it('end for both holders when one of two tokens issued together is used 31 seconds after the other was renewed', async () => {
    const { tokens, clientId } = await connect();
    const both = await Promise.all([1, 2].map(() => refresh(service, clientId, tokens.refresh_token)));
    const [own, stolen] = both.map(({ body }) => body.refresh_token);
    service.clock.advance(minuteMs);
    const renewed = (await refresh(service, clientId, stolen)).body;
    service.clock.advance(31_000);
    expect(await refusal(refresh(service, clientId, own))).to.deep.equal(invalidGrant);
    expect(await statusOf(renewed.access_token)).to.equal(401);
  });

  it('survive an attempt with a token that only looks like one of them', async () => {
    const { tokens, clientId } = await connect();
    const { refresh_token: token } = tokens;
    const forged = token.slice(0, -86) + 'A'.repeat(43) + token.slice(-43);
    expect(await refusal(refresh(service, clientId, forged))).to.deep.equal(invalidGrant);
    expect(await statusOf(tokens.access_token)).to.equal(200);
  });

  it('record their renewals, replays and end in the audit', async () => {
    const { tokens, clientId } = await connect();
    await refresh(service, clientId, tokens.refresh_token);
    service.clock.advance(31_000);
    await refresh(service, clientId, tokens.refresh_token);
    const other = await connect();
    const form = { token: other.tokens.refresh_token, client_id: other.clientId };
    await postForm(service, '/oauth/revoke', { form });
    const entries = await service.connection
      .collection('audit_entries')
      .find({ via: 'oauth', userId: user._id })
      .sort({ _id: 1 })
      .toArray();
    const shown = entries.map(({ operation, status, code, ...entry }) => [
      ...[operation, status, code, entry['clientId']],
    ]);
    expect(shown).to.deep.equal([
      ['apps.renew', 200, null, clientId],
      ['apps.end', 400, 'replayed', clientId],
      ['apps.end', 200, null, other.clientId],
    ]);
  });

  describe('in every process', () => {
    const other = useStarted(async () => {
      const behind = { databaseUri: service.databaseUri, config: { publicUrl: service.url } };
      const started = await startTestService(behind);
      return { ...started, stop: started.leave };
    });

    beforeEach(() => other.clock.advance(service.clock.now() - other.clock.now()));

    it('survive two refreshes at once, in one process or in two', async () => {
      const { tokens, clientId } = await connect();
      let last = tokens.refresh_token;
      for (const second of [service, other, service, other, service, other]) {
        const both = await Promise.all([service, second].map((at) => refresh(at, clientId, last)));
        for (const { status, body } of both) {
          expect(status).to.equal(200);
          expect(await statusOf(body.access_token)).to.equal(200);
          last = body.refresh_token;
        }
      }
    });

    const endings: Record<string, (connected: Awaited<ReturnType<typeof connect>>) => Promise<unknown>> = {
      'their code is exchanged again': ({ code, flow, clientId }) =>
        exchange(service, { code, verifier: flow.verifier, clientId }),
      'the app revokes one of them': ({ tokens, clientId }) =>
        postForm(service, '/oauth/revoke', {
          form: { token: tokens.refresh_token, client_id: clientId },
        }),
      'the user revokes the app': async ({ account }) => {
        const { apps } = await account.api.apps.list.query();
        await account.api.apps.revoke.mutate({ id: apps[0]?.id ?? '' });
      },
    };
    for (const [what, end] of Object.entries(endings))
      it(`are refused at the next call once ${what}`, async () => {
        const connected = await connect();
        const { tokens, clientId } = connected;
        expect(await statusOf(tokens.access_token, other)).to.equal(200);
        await end(connected);
        for (const at of [other, service]) expect(await statusOf(tokens.access_token, at)).to.equal(401);
        expect(await refusal(refresh(service, clientId, tokens.refresh_token))).to.deep.equal(invalidGrant);
      });

    it('are refused, including new ones, once a refresh token is reused after more than thirty seconds', async () => {
      const { tokens, clientId } = await connect();
      const renewed = (await refresh(service, clientId, tokens.refresh_token)).body;
      service.clock.advance(31_000);
      expect(await refusal(refresh(service, clientId, tokens.refresh_token))).to.deep.equal(invalidGrant);
      for (const at of [other, service]) expect(await statusOf(renewed.access_token, at)).to.equal(401);
      expect(await refusal(refresh(service, clientId, renewed.refresh_token))).to.deep.equal(invalidGrant);
    });
  });

  /** An allowed request whose code is not exchanged yet. */
  async function allowed(params: Record<string, string> = {}) {
    const clientId: string = (await register(service)).body.client_id;
    const { verifier, ...pending } = await begin(service, { clientId, params });
    const { params: answer } = await allow(service, pending, user);
    return { clientId, verifier, code: answer.get('code') ?? '' };
  }

  it('are issued at most once when a code is exchanged several times at once', async () => {
    const code = await allowed();
    const exchanges = await Promise.all([1, 2, 3].map(() => exchange(service, code)));
    expect(exchanges.filter(({ status }) => status === 200).length).to.be.at.most(1);
  });

  const wrong: Record<string, [change: () => Promise<object> | object, error: string]> = {
    'to another app': [async () => ({ clientId: (await register(service)).body.client_id }), 'invalid_grant'],
    'without its verifier': [() => ({ verifier: 'x'.repeat(43) }), 'invalid_grant'],
    'for another resource': [() => ({ resource: 'https://other.example' }), 'invalid_target'],
    'after a minute': [() => service.clock.advance(61_000) ?? {}, 'invalid_grant'],
  };
  for (const [how, [change, error]] of Object.entries(wrong))
    it(`400 ${error}: are not issued for a code that is used ${how}`, async () => {
      const code = { ...(await allowed()), ...(await change()) };
      expect(await refusal(exchange(service, code))).to.deep.equal([400, error]);
    });

  it('are issued under each name of the API, in any order', async () => {
    for (const [first, second] of [
      ['', '/mcp'],
      ['/mcp', ''],
      ['/mcp/', '/'],
    ]) {
      const code = await allowed({ resource: service.url + first });
      const resource = service.url + second;
      expect((await exchange(service, { ...code, resource })).status).to.equal(200);
    }
  });

  it('are refused while the user is suspended', async () => {
    const externalId = 'customer-1';
    const { email } = await service.addUser({ externalId } as never);
    const { tokens, clientId } = await connectApp(service, { email });
    const put = (isActive: boolean) =>
      service.models.provisioning.put({ externalId, email, isActive }, new Date());
    await put(false);
    expect(await statusOf(tokens.access_token)).to.equal(401);
    expect(await refusal(refresh(service, clientId, tokens.refresh_token))).to.deep.equal(invalidGrant);
    await put(true);
    expect(await statusOf(tokens.access_token)).to.equal(200);
  });

  it('can be renewed by an app that sends an API key, and omits the resource, with every request', async () => {
    const params = { resource: `${service.url}/mcp` };
    const { tokens, clientId } = await connectApp(service, { email: user.email, params });
    const { secret } = await service.addKey({ user });
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: clientId };
    const headers = { Authorization: `Bearer ${secret}` };
    const { status, body } = await postForm(service, '/oauth/token', { form, headers });
    expect([status, await statusOf(body.access_token)]).to.deep.equal([200, 200]);
  });

  it('keep the scopes that a renewal names, except those that the user has withdrawn', async () => {
    const params = { scope: 'read:account read:catalog write:tickets' };
    const { tokens, clientId, account } = await connectApp(service, { email: user.email, params });
    const [connected] = (await account.api.apps.list.query()).apps;
    const scopes: ['read:account', 'read:console'] = ['read:account', 'read:console'];
    await account.api.apps.change.mutate({ id: connected?.id ?? '', scopes });
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: clientId };
    const named = (await postForm(service, '/oauth/token', { form: { ...form, ...params } })).body;
    const whole = (await refresh(service, clientId, named.refresh_token)).body;
    expect(named.scope).to.equal('read:account');
    expect(whole.scope.split(' ')).to.have.members(scopes);
    const isAllowed = async (path: string, key: string) =>
      (await service.call('GET', path, { key })).status !== 403;
    const console = '/servers/a1b2c3d4/console';
    expect(await isAllowed('/servers', named.access_token)).to.equal(true);
    expect(await isAllowed(console, named.access_token)).to.equal(false);
    expect(await isAllowed(console, whole.access_token)).to.equal(true);
  });

  it('open the API in Authorization, even if X-API-Key repeats them, and never in X-API-Key alone', async () => {
    const { tokens } = await connect();
    const headers = { 'X-API-Key': tokens.access_token };
    const both = await service.call('GET', '/me', { key: tokens.access_token, headers });
    expect(both.status).to.equal(200);
    expect((await service.call('GET', '/me', { headers })).status).to.equal(401);
  });

  it('are not keys: no refresh token or code opens the API, and no token creates a key', async () => {
    const { tokens, code } = await connect();
    for (const token of [tokens.refresh_token, code]) expect(await statusOf(token)).to.equal(401);
    const headers = { Authorization: `Bearer ${tokens.access_token}`, 'Sec-Fetch-Site': 'same-origin' };
    const body = { name: 'Mine', scopes: ['read:account'], expires_at: null };
    const answer = await service.callAt('POST', '/account/trpc/keys.create', { headers, body });
    expect(answer.status).to.equal(401);
  });
});
