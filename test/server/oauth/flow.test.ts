/** The whole flow by which an app signs its user in, as an agent and its user's browser go through it. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { expectError } from '../../support/expect-error.ts';
import {
  allow,
  begin,
  connectApp,
  postForm,
  refresh,
  register,
  registration,
} from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';

describe('an app that a user connected', () => {
  const service = useService({ hasApps: true });
  let user: UserRecord;

  beforeEach(async () => {
    user = await service.addUser();
  });

  const connect = (options = {}) => connectApp(service, { email: user.email, ...options });
  const mcp = (key: string, method: string, params = {}) =>
    service.callAt('POST', '/mcp', { key, body: { jsonrpc: '2.0', id: 1, method, params } });

  it('calls REST, tRPC and MCP as its user, with the granted scopes', async () => {
    const { tokens } = await connect();
    const scope = 'read:catalog read:account write:tickets write:servers write:backups read:console';
    expect(tokens).to.include({ token_type: 'Bearer', expires_in: 3600, scope });
    const key = tokens.access_token;
    const rest = await service.call('GET', '/me', { key });
    const trpc = await service.callAt('GET', '/trpc/account.me', { key });
    const tool = await mcp(key, 'tools/call', { name: 'get_my_profile', arguments: {} });
    expect(rest.body.user.email).to.equal(user.email);
    expect(trpc.body.result.data.user.email).to.equal(user.email);
    expect(tool.body.result.structuredContent.user.email).to.equal(user.email);
  });

  it('403 insufficient_scope: learns from the header which scopes to request', async () => {
    const { tokens } = await connect({
      scopes: ['read:account'],
      params: { scope: 'read:account write:tickets' },
    });
    expect(tokens.scope).to.equal('read:account');
    const body = { title: 'Lag', message: 'Since noon.' };
    const answer = await service.call('POST', '/tickets', { key: tokens.access_token, body });
    const where = `${service.url}/account#apps (Connected apps → Rights)`;
    const message = `This access token lacks the scope write:tickets: sign in again with it, or add it at ${where}`;
    expectError(answer, 'insufficient_scope', message);
    expect(answer.headers.get('WWW-Authenticate')).to.equal(
      'Bearer error="insufficient_scope", scope="read:account write:tickets", error_description="sign in again with these scopes"',
    );
    const tool = await mcp(tokens.access_token, 'tools/call', { name: 'create_ticket', arguments: body });
    expect(tool.status).to.equal(200);
    expect(tool.body.result.isError).to.equal(true);
    expect(JSON.parse(tool.body.result.content[0].text).error).to.deep.equal(answer.body.error);
    expect(tool.body.result._meta['mcp/www_authenticate']).to.deep.equal([
      answer.headers.get('WWW-Authenticate'),
    ]);
  });

  it('403 insufficient_scope: a key learns everywhere where its owner creates another, as documented', async () => {
    const { secret: key } = await service.addKey({ user, scopes: ['read:account'] });
    const body = { title: 'Lag', message: 'Since noon.' };
    const rest = await service.call('POST', '/tickets', { key, body });
    const message = `This key lacks the scope write:tickets: create a key with it at ${service.url}/account#keys`;
    expectError(rest, 'insufficient_scope', message);
    const trpc = await service.callAt('POST', '/trpc/tickets.create', { key, body });
    const tool = await mcp(key, 'tools/call', { name: 'create_ticket', arguments: body });
    expect(trpc.body.error.message).to.equal(message);
    expect(JSON.parse(tool.body.result.content[0].text).error.message).to.equal(message);
    const { paths } = (await service.call('GET', '/openapi.json')).body;
    const documented = paths['/tickets'].post.responses[403].content['application/json'];
    expect(documented.example).to.deep.equal(rest.body);
  });

  it('may return to an address without a path with or without a trailing slash', async () => {
    const [bare, slash] = ['http://127.0.0.1:1', 'http://127.0.0.1:1/'];
    for (const [registered, asked, exchanged] of [
      [bare, slash, bare],
      [slash, bare, bare],
      [bare, bare, slash],
    ] as const) {
      const { body: app } = await register(service, { ...registration, redirect_uris: [registered] });
      const flow = await begin(service, { clientId: app.client_id, params: { redirect_uri: asked } });
      const { params } = await allow(service, flow, { email: user.email });
      const form = {
        ...{ grant_type: 'authorization_code', code: params.get('code') ?? '', client_id: app.client_id },
        ...{ code_verifier: flow.verifier, redirect_uri: exchanged },
      };
      expect((await postForm(service, '/oauth/token', { form })).status).to.equal(200);
    }
  });

  it('never receives an admin: scope, even from an administrator', async () => {
    const admin = await service.addUser({ isAdmin: true });
    const params = { scope: 'read:account admin:users admin:tickets' };
    const { tokens } = await connectApp(service, { email: admin.email, params });
    expect(tokens.scope).to.equal('read:account');
    const answer = await service.call('GET', '/admin/users', { key: tokens.access_token });
    const message = 'This access token lacks the scope admin:users, which no app has';
    expectError(answer, 'insufficient_scope', message);
    expect(answer.headers.has('WWW-Authenticate')).to.equal(false);
  });

  it('sees itself at GET /key', async () => {
    const { tokens } = await connect();
    const { key } = (await service.call('GET', '/key', { key: tokens.access_token })).body;
    expect(key).to.deep.include({
      name: 'Test agent',
      prefix: 'gamehost_app_',
      limit: { calls_per_minute: 120 },
    });
    const days = (Date.parse(key.expires_at) - service.clock.now()) / 86_400_000;
    expect(Math.round(days)).to.equal(180);
  });

  it('429: makes at most 120 calls a minute over all its tokens', async () => {
    const { tokens, clientId } = await connect();
    const renewed = (await refresh(service, clientId, tokens.refresh_token)).body;
    const first = await service.call('GET', '/me', { key: tokens.access_token });
    expect(first.headers.get('X-RateLimit-Limit')).to.equal('120');
    const second = await service.call('GET', '/me', { key: renewed.access_token });
    expect(second.headers.get('X-RateLimit-Remaining')).to.equal('118');
  });

  it('appears in the audit with its grant', async () => {
    const { tokens, clientId, account } = await connect();
    await service.call('GET', '/me', { key: tokens.access_token });
    await service.flushAudit();
    const { apps } = await account.api.apps.list.query();
    const entries = await service.models.auditEntries.list({ userId: user._id, limit: 10 });
    const call = entries.find(({ operation }) => operation === 'account.me');
    expect(call).to.include({ keyId: '', grantId: apps[0]?.id, clientId, status: 200, via: 'rest' });
  });

  it('repeats a write under an idempotency key, even with a renewed token', async () => {
    const { tokens, clientId } = await connect({ params: { scope: 'write:tickets' } });
    const renewed = (await refresh(service, clientId, tokens.refresh_token)).body;
    const headers = { 'Idempotency-Key': 'once' };
    const body = { title: 'Lag', message: 'Since noon.' };
    const first = await service.call('POST', '/tickets', { key: tokens.access_token, body, headers });
    const second = await service.call('POST', '/tickets', { key: renewed.access_token, body, headers });
    expect(second.text).to.equal(first.text);
    expect(second.headers.get('Idempotency-Replayed')).to.equal('true');
  });
});
