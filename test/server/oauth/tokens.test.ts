/** Codes and tokens of apps: each use that must fail fails, in every process, and what must go on goes on. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { signedIn } from '../../support/account.ts';
import { begin, connectApp, exchange, postForm, refresh, register, resume } from '../../support/oauth-app.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

describe("an app's tokens", () => {
  let service: TestService;
  let user: UserRecord;

  beforeEach(async () => {
    service = await startTestService({ hasApps: true });
    user = await service.addUser({ externalId: 'customer-1' } as never);
  });
  afterEach(() => service.stop());

  /** Another process behind the same address. */
  const another = () =>
    startTestService({ databaseUri: service.databaseUri, config: { publicUrl: service.url } });
  const connect = () => connectApp(service, { email: user.email });
  const statusOf = async (token: string, at = service) =>
    (await at.call('GET', '/me', { key: token })).status;
  const refusal = async (answer: ReturnType<typeof refresh>) => {
    const { status, body } = await answer;
    return [status, body.error];
  };
  const invalidGrant = [400, 'invalid_grant'];

  it('are valid for an hour, and renewed for as long as they are renewed within thirty days', async () => {
    const { tokens, clientId } = await connect();
    service.clock.advance(61 * minuteMs);
    expect(await statusOf(tokens.access_token)).to.equal(401);
    service.clock.advance(29 * dayMs);
    const { body } = await refresh(service, clientId, tokens.refresh_token);
    expect(await statusOf(body.access_token)).to.equal(200);
    service.clock.advance(30 * dayMs + minuteMs);
    expect(await refusal(refresh(service, clientId, body.refresh_token))).to.deep.equal(invalidGrant);
  });

  it('are renewed any number of times, one after another or at once, of which few are stored', async () => {
    const { tokens, clientId } = await connect();
    let last = tokens;
    for (let count = 0; count < 25; count += 1)
      last = (await refresh(service, clientId, last.refresh_token)).body;
    const atOnce = Array.from({ length: 25 }, () => refresh(service, clientId, last.refresh_token));
    const renewed = (await Promise.all(atOnce)).map(({ status }) => status);
    expect(new Set(renewed)).to.deep.equal(new Set([200]));
    const stored = service.connection.collection('oauth_tokens');
    const countOf = (consumedAt: object | null) =>
      stored.countDocuments({ kind: 'RefreshToken', consumedAt } as never);
    expect(await countOf(null)).to.be.within(1, 20);
    expect(await countOf({ $ne: null })).to.be.within(1, 20);
  });

  it('end 180 days after the user allowed them', async () => {
    const { tokens, clientId } = await connect();
    let last = tokens;
    for (let days = 0; days < 175; days += 25) {
      service.clock.advance(25 * dayMs);
      last = (await refresh(service, clientId, last.refresh_token)).body;
      expect(await statusOf(last.access_token)).to.equal(200);
    }
    service.clock.advance(6 * dayMs);
    expect(await refusal(refresh(service, clientId, last.refresh_token))).to.deep.equal(invalidGrant);
  });

  it('are given to both of two refreshes at once, every time', async () => {
    for (let times = 0; times < 10; times += 1) {
      const { tokens, clientId } = await connect();
      const both = await Promise.all([1, 2].map(() => refresh(service, clientId, tokens.refresh_token)));
      expect(both.map(({ status }) => status)).to.deep.equal([200, 200]);
      for (const { body } of both) expect(await statusOf(body.access_token)).to.equal(200);
      service.clock.advance(minuteMs);
    }
  });

  it('are given to both of two refreshes at once in two processes', async () => {
    const other = await another();
    const both = [];
    for (let times = 0; times < 5; times += 1) {
      const { tokens, clientId } = await connect();
      both.push(
        ...(await Promise.all([service, other].map((at) => refresh(at, clientId, tokens.refresh_token)))),
      );
    }
    await other.leave();
    expect(new Set(both.map(({ status }) => status))).to.deep.equal(new Set([200]));
    for (const { body } of both) expect(await statusOf(body.access_token)).to.equal(200);
  });

  it('are not given for a code twice, and end when it is tried', async () => {
    const { tokens, clientId, code, flow } = await connect();
    const again = exchange(service, { code, verifier: flow.verifier, clientId });
    expect(await refusal(again)).to.deep.equal(invalidGrant);
    expect(await statusOf(tokens.access_token)).to.equal(401);
  });

  it('are given to at most one of several exchanges of a code at once', async () => {
    const { clientId, flow, params } = await allowed();
    const code = params.get('code') ?? '';
    const exchanges = [1, 2, 3].map(() => exchange(service, { code, verifier: flow.verifier, clientId }));
    const given = (await Promise.all(exchanges)).filter(({ status }) => status === 200);
    expect(given.length).to.be.at.most(1);
  });

  /** A request that was allowed and not exchanged yet. */
  async function allowed(params?: Record<string, string>) {
    const clientId: string = (await register(service)).body.client_id;
    const flow = await begin(service, { clientId, ...(params && { params }) });
    const account = await signedIn(service.url, user);
    await account.api.apps.allow.mutate({ request_id: flow.id, scopes: ['read:account'] });
    return { clientId, flow, ...(await resume(service, flow, account)) };
  }

  it('are not given for a code after a minute, to another app, without its verifier, or for another resource', async () => {
    const other: string = (await register(service)).body.client_id;
    const late = <Code>(code: Code) => {
      service.clock.advance(61_000);
      return code;
    };
    const attempts: [(code: { code: string; verifier: string; clientId: string }) => object, string][] = [
      [({ clientId: _, ...code }) => ({ ...code, clientId: other }), 'invalid_grant'],
      [(code) => ({ ...code, verifier: 'x'.repeat(43) }), 'invalid_grant'],
      [(code) => ({ ...code, resource: 'https://other.example' }), 'invalid_target'],
      [late, 'invalid_grant'],
    ];
    for (const [attempt, error] of attempts) {
      const { clientId, flow, params } = await allowed();
      const sent = attempt({ code: params.get('code') ?? '', verifier: flow.verifier, clientId });
      expect(await refusal(exchange(service, sent as never))).to.deep.equal([400, error]);
    }
  });

  it('are given under each name of the API, in whichever order', async () => {
    for (const [first, second] of [
      ['', '/mcp'],
      ['/mcp', ''],
      ['/mcp/', '/'],
    ]) {
      const { clientId, flow, params } = await allowed({ resource: service.url + first });
      const code = params.get('code') ?? '';
      const resource = service.url + second;
      const { status } = await exchange(service, { code, verifier: flow.verifier, clientId, resource });
      expect(status).to.equal(200);
    }
  });

  it('end when the app revokes one of them', async () => {
    const { tokens, clientId } = await connect();
    const form = { token: tokens.refresh_token, client_id: clientId };
    expect((await postForm(service, '/oauth/revoke', { form })).status).to.equal(200);
    expect(await statusOf(tokens.access_token)).to.equal(401);
    expect(await refusal(refresh(service, clientId, tokens.refresh_token))).to.deep.equal(invalidGrant);
  });

  it('are refused in every process at the next call after the user revokes the app', async () => {
    const other = await another();
    const { tokens, account, clientId } = await connect();
    expect(await statusOf(tokens.access_token, other)).to.equal(200);
    const { apps } = await account.api.apps.list.query();
    await account.api.apps.revoke.mutate({ id: apps[0]?.id ?? '' });
    expect(await statusOf(tokens.access_token, other)).to.equal(401);
    expect(await statusOf(tokens.access_token)).to.equal(401);
    expect(await refusal(refresh(service, clientId, tokens.refresh_token))).to.deep.equal(invalidGrant);
    await other.leave();
  });

  it('are refused while the user is suspended', async () => {
    const { tokens, clientId } = await connect();
    const put = (isActive: boolean) =>
      service.models.provisioning.put({ externalId: 'customer-1', email: user.email, isActive }, new Date());
    await put(false);
    expect(await statusOf(tokens.access_token)).to.equal(401);
    expect(await refusal(refresh(service, clientId, tokens.refresh_token))).to.deep.equal(invalidGrant);
    await put(true);
    expect(await statusOf(tokens.access_token)).to.equal(200);
  });

  it('are renewed by an app that sends an API key with every request', async () => {
    const { tokens, clientId } = await connect();
    const { secret } = await service.addKey({ user });
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: clientId };
    const headers = { Authorization: `Bearer ${secret}` };
    expect((await postForm(service, '/oauth/token', { form, headers })).status).to.equal(200);
  });

  it('are no keys: no refresh token or code opens the API, and no token makes a key', async () => {
    const { tokens, code } = await connect();
    for (const token of [tokens.refresh_token, code]) expect(await statusOf(token)).to.equal(401);
    const headers = { Authorization: `Bearer ${tokens.access_token}`, 'Sec-Fetch-Site': 'same-origin' };
    const body = { name: 'Mine', scopes: ['read:account'], expires_at: null };
    const answer = await service.callAt('POST', '/account/trpc/keys.create', { headers, body });
    expect(answer.status).to.equal(401);
  });
});
