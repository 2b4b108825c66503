/** Single sign-on against a real OpenID Connect provider: who gets in, and which answers are refused. */
import { expect } from 'chai';
import { openAccount } from '../../support/account.ts';
import {
  signInOnce as signIn,
  signInAtProvider,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../../support/identity-provider.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { refusalOf, startSingleSignOn } from '../../support/single-sign-on.ts';

const ann = { sub: 'ann-1', email: 'Ann@Example.com', email_verified: true, given_name: 'Ann' };

for (const hasClaimsInToken of [false, true])
  describe(`single sign-on with the e-mail address ${hasClaimsInToken ? 'in the ID token' : 'from userinfo only'}`, () => {
    let provider: TestIdentityProvider;
    let service: TestService;

    before(async () => {
      provider = await startIdentityProvider({ hasClaimsInToken });
      service = await startTestService({ config: { identityProvider: provider.settings } });
      provider.serve(service.url);
    });
    after(async () => {
      await service.stop();
      await provider.stop();
    });

    it('signs in the user with the verified e-mail address, and afterwards by subject alone', async () => {
      const user = await service.addUser({ email: 'ann@example.com' });
      provider.at.account = ann;
      expect((await signIn(service)).body.result.data.user.id).to.equal(user._id);
      provider.at.account = { sub: ann.sub, email: 'other@example.com', email_verified: false };
      expect((await signIn(service)).body.result.data.user.id).to.equal(user._id);
    });
  });

describe('single sign-on', () => {
  let provider: TestIdentityProvider;
  let service: TestService;
  let stop: () => Promise<void>;

  beforeEach(async () => {
    ({ provider, service, stop } = await startSingleSignOn(ann));
  });
  afterEach(() => stop());

  const addAnn = () => service.addUser({ email: 'ann@example.com' });
  const start = async () => {
    const account = openAccount(service.url);
    const { url } = await account.api.session.startSingleSignOn.mutate();
    return { account, url, query: await signInAtProvider(url, service.url) };
  };

  it('sends the browser to the provider with PKCE, state and nonce', async () => {
    const account = openAccount(service.url);
    const { url } = await account.api.session.startSingleSignOn.mutate();
    const { origin, searchParams } = new URL(url);
    expect(origin).to.equal(provider.issuer);
    expect(searchParams.get('code_challenge_method')).to.equal('S256');
    for (const name of ['code_challenge', 'state', 'nonce'])
      expect(searchParams.get(name)?.length, name).to.be.at.least(43);
    expect(searchParams.get('redirect_uri')).to.equal(`${service.url}/account/callback`);
  });

  it('opens a session that the API of the account page accepts, and audits it', async () => {
    const user = await addAnn();
    const account = openAccount(service.url);
    await signIn(service, account);
    expect((await account.api.keys.list.query()).live).to.deep.equal([]);
    const [entry] = await service.models.auditEntries.list({ userId: user._id, limit: 1 });
    expect(entry).to.include({ operation: 'session.finishSingleSignOn', status: 200 });
  });

  it('refuses a replayed answer, also with the cookie restored', async () => {
    await addAnn();
    const { account, query } = await start();
    const cookies = new Map(account.cookies);
    expect((await account.call('session.finishSingleSignOn', { query })).status).to.equal(200);
    const again = () => account.call('session.finishSingleSignOn', { query });
    expect((await again()).body.error.message).to.match(/^The sign-in took too long/);
    for (const [name, value] of cookies) account.cookies.set(name, value);
    expect(await refusalOf(again())).to.deep.equal([
      401,
      'The answer of the identity provider is not valid; try again',
    ]);
  });

  it("refuses another browser's code in a victim's browser", async () => {
    await addAnn();
    const [victim, otherUser] = [await start(), await start()];
    const query = new URLSearchParams(victim.query);
    query.set('code', new URLSearchParams(otherUser.query).get('code') ?? '');
    const answer = victim.account.call('session.finishSingleSignOn', { query: `${query}` });
    expect(await refusalOf(answer)).to.deep.equal([
      401,
      'The answer of the identity provider is not valid; try again',
    ]);
  });

  it("refuses another browser's whole response in a victim's browser", async () => {
    await addAnn();
    const [victim, otherUser] = [await start(), await start()];
    const answer = await victim.account.call('session.finishSingleSignOn', { query: otherUser.query });
    expect(answer.body.error.message).to.match(/^The sign-in took too long/);
  });

  it('refuses an answer of another issuer', async () => {
    await addAnn();
    const { account, query } = await start();
    const parameters = new URLSearchParams(query);
    parameters.set('iss', 'https://other.example');
    const answer = account.call('session.finishSingleSignOn', { query: `${parameters}` });
    expect((await answer).status).to.equal(401);
  });

  it('says that the user canceled at the provider', async () => {
    const account = openAccount(service.url);
    const { url } = await account.api.session.startSingleSignOn.mutate();
    const state = new URL(url).searchParams.get('state');
    const query = `?error=access_denied&state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
    const answer = account.call('session.finishSingleSignOn', { query });
    expect(await refusalOf(answer)).to.deep.equal([401, 'The sign-in was canceled at the identity provider']);
  });

  it('creates users where OIDC_CREATE_USERS allows it, without a password', async () => {
    const settings = { ...provider.settings, createsUsers: true };
    const creating = await startTestService({ config: { identityProvider: settings } });
    provider.serve(creating.url);
    const { user } = (await signIn(creating)).body.result.data;
    expect(user).to.include({ email: 'ann@example.com', first_name: 'Ann', admin: false });
    expect((await creating.models.users.find(user.id))?.passwordHash).to.equal(null);
    await creating.stop();
  });

  it('answers 502 while the provider is unavailable, and recovers', async () => {
    const stopped = await startIdentityProvider();
    const waiting = await startTestService({ config: { identityProvider: stopped.settings } });
    const answer = await openAccount(waiting.url).call('session.startSingleSignOn', {});
    expect([answer.status, answer.body.error.data.code]).to.deep.equal([502, 'upstream_error']);
    stopped.serve(waiting.url);
    expect((await openAccount(waiting.url).call('session.startSingleSignOn', {})).status).to.equal(200);
    await waiting.stop();
    await stopped.stop();
  });

  it('signs out here and names the address where the session at the provider ends', async () => {
    await addAnn();
    const account = openAccount(service.url);
    await signIn(service, account);
    const { next_url } = await account.api.session.signOut.mutate();
    const { origin, searchParams } = new URL(next_url ?? '');
    expect(origin).to.equal(provider.issuer);
    expect(searchParams.get('post_logout_redirect_uri')).to.equal(`${service.url}/account`);
    expect((await account.api.session.current.query()).user).to.equal(null);
  });

  it('leaves no code, state or token in the log and the database', async () => {
    await addAnn();
    const { account, query } = await start();
    const parameters = new URLSearchParams(query);
    await account.call('session.finishSingleSignOn', { query });
    await account.call('session.finishSingleSignOn', { query });
    const kept = await Promise.all(
      (await service.connection.listCollections()).map(({ name }) =>
        service.connection.collection(name).find().toArray(),
      ),
    );
    const everything = JSON.stringify(kept) + service.logLines.join();
    for (const name of ['code', 'state'])
      expect(everything).not.to.include(parameters.get(name) ?? 'missing');
  });
});
