/** The user's decision about an app: accepted once, from the user who signed in, on the account page, in the same browser. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { type Account, openAccount, signInAccount } from '../../support/account.ts';
import {
  authorizeUrl,
  begin,
  connectApp,
  exchange,
  type Flow,
  register,
  resume,
  sendRequest,
} from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';

describe("the user's decision about an app", () => {
  const service = useService({ hasApps: true });
  let user: UserRecord;
  let account: Account;
  let clientId: string;
  let flow: Flow;

  beforeEach(async () => {
    service.clock.advance(60 * 60_000); // past the rate limits that earlier tests used up
    user = await service.addUser();
    account = await signInAccount(service.url, user);
    clientId = (await register(service)).body.client_id;
    flow = await begin(service, {
      clientId,
      params: { scope: 'openid read:account write:tickets admin:users' },
    });
  });

  const decide = (decision: 'allow' | 'deny', input: object) =>
    account.call(`apps.${decision}`, { request_id: flow.id, ...input });
  const allow = (scopes = ['read:account']) => decide('allow', { scopes });
  const messageOf = ({ status, body }: Awaited<ReturnType<typeof allow>>) => [status, body.error?.message];

  it("is based on the app's name, its return address, and one sentence per scope", async () => {
    const question = await account.api.apps.request.query({ request_id: flow.id });
    expect(question).to.deep.include({
      app: { name: 'Test agent', verified_host: null },
      returns_to: '127.0.0.1',
    });
    expect(question.scopes.map(({ scope }) => scope)).to.deep.equal(['read:account', 'write:tickets']);
    for (const { sentence } of question.scopes) expect(sentence).to.match(/^[A-Z].+\.$/);
  });

  it('reaches the app as access_denied with its state when the user denies', async () => {
    expect((await decide('deny', {})).status).to.equal(200);
    const { params } = await resume(service, flow, account);
    expect(Object.fromEntries(params)).to.include({
      ...{ error: 'access_denied', state: 'a state', iss: service.url },
    });
    expect((await account.api.apps.list.query()).apps).to.deep.equal([]);
  });

  it('404 not_found: is accepted only once', async () => {
    await allow();
    expect(messageOf(await allow())).to.deep.equal([404, 'Request not found']);
    expect(messageOf(await decide('deny', {}))).to.deep.equal([404, 'Request not found']);
    expect((await account.api.apps.list.query()).apps).to.have.length(1);
  });

  it('404 not_found: is accepted only within ten minutes', async () => {
    service.clock.advance(10 * 60_000 + 1000);
    expect(messageOf(await allow())).to.deep.equal([404, 'Request not found']);
  });

  it("may include scopes beyond the app's request, each in a sentence, but no admin scopes", async () => {
    const { other_scopes } = await account.api.apps.request.query({ request_id: flow.id });
    const names = other_scopes.map(({ scope }) => scope);
    expect(names).to.include.members(['read:files', 'write:files', 'read:catalog']);
    expect(names).to.not.include.members(['read:account']);
    expect(names.filter((name) => name.startsWith('admin:'))).to.deep.equal([]);
    for (const { sentence } of other_scopes) expect(sentence).to.match(/^[A-Z].+\.$/);
  });

  it('may grant more than the app requested, and its token then has it', async () => {
    await allow(['read:account', 'read:files']);
    const code = (await resume(service, flow, account)).params.get('code') ?? '';
    const { body } = await exchange(service, { code, verifier: flow.verifier, clientId });
    expect(body.scope.split(' ')).to.have.members(['read:account', 'read:files']);
    expect((await service.call('GET', '/me', { key: body.access_token })).status).to.equal(200);
    const [connected] = (await account.api.apps.list.query()).apps;
    expect(connected?.scopes).to.have.members(['read:account', 'read:files']);
  });

  it('400 bad_request: must grant at least one scope and no admin scope', async () => {
    expect((await allow([])).status).to.equal(400);
    expect(messageOf(await allow(['admin:users']))).to.deep.equal([
      ...[400, 'scopes must not include admin:users: no app may have it'],
    ]);
  });

  it('400 bad_request: connects at most fifty apps to a user', async () => {
    const app = { clientId, name: 'App', verifiedHost: null };
    const newGrant = { userId: user._id, app, scopes: [], refusedScopes: [] };
    const { oauthGrants, transaction } = service.models;
    const now = new Date(service.clock.now());
    const add = () => transaction((session) => oauthGrants.add(newGrant, now, session));
    const grant = await add();
    const others = Array.from({ length: 46 }, () => ({ ...grant, _id: randomUUID() as never }));
    await service.connection.collection('oauth_grants').insertMany(others);
    const added = await Promise.all(Array.from({ length: 5 }, add));
    expect(added.filter(Boolean)).to.have.length(3);
    expect(messageOf(await allow())).to.deep.equal([
      400,
      'You have 50 connected apps, the maximum; revoke one first',
    ]);
  });

  describe('reaches the app', () => {
    const refused = async (answer: ReturnType<typeof resume>) => {
      const { status, headers, text } = await answer;
      expect(status).to.equal(400);
      expect(headers.get('Location')).to.equal(null);
      expect(headers.get('Content-Security-Policy')).to.include("frame-ancestors 'none'");
      expect(text).to.include('was answered in another session');
    };

    it('only in the browser of the user who decided, not of another user who sent the link', async () => {
      const attacker = await signInAccount(service.url, await service.addUser());
      await allow();
      await refused(resume(service, flow, attacker));
      await refused(resume(service, flow, openAccount(service.url)));
    });

    it('only in the browser that began the request', async () => {
      await allow();
      const { status, headers } = await resume(service, { ...flow, cookie: '' }, account);
      expect([status, headers.get('Location')]).to.deep.equal([400, null]);
    });

    it('only while the same user stays signed in', async () => {
      await allow();
      const other = await service.addUser();
      await account.api.session.signIn.mutate({ email: other.email, password: 'correct horse' });
      await refused(resume(service, flow, account));
      await account.api.session.signOut.mutate();
      await refused(resume(service, flow, account));
    });

    it('only once, and only after it is made', async () => {
      await refused(resume(service, flow, account));
      await allow();
      expect((await resume(service, flow, account)).status).to.equal(303);
      await refused(resume(service, flow, account));
    });

    it('only if the user still exists', async () => {
      await allow();
      await service.connection.collection('users').deleteOne({ _id: user._id as never });
      await refused(resume(service, flow, account));
    });
  });

  it('is requested every time, even from a user who allowed the app before', async () => {
    const { flow: first } = await connectApp(service, { email: user.email, clientId });
    const headers = { Cookie: first.cookie };
    const answer = await sendRequest(authorizeUrl(service, { clientId }, 'verifier'), { headers });
    expect(answer.headers.get('Location')).to.match(/^\/account\/connect#/);
    const none = await sendRequest(
      authorizeUrl(service, { clientId, params: { prompt: 'none' } }, 'verifier'),
      {
        headers,
      },
    );
    expect(none.headers.get('Location')).to.include('error=login_required');
  });
});
