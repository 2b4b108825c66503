/** Single sign-on against a real OpenID Connect provider: redirect, return, and answers that are refused. */
import { expect } from 'chai';
import { openAccount } from '../../support/account.ts';
import {
  signInOnce as signIn,
  signInAtProvider,
  startIdentityProvider,
} from '../../support/identity-provider.ts';
import { startTestService } from '../../support/service.ts';
import { answerNotValid, startSingleSignOn, statusAndMessageOf } from '../../support/single-sign-on.ts';
import { storedText } from '../../support/stored-text.ts';
import { useStarted } from '../../support/use-started.ts';

for (const hasClaimsInToken of [false, true])
  describe(`single sign-on with the e-mail address ${hasClaimsInToken ? 'in the ID token' : 'from userinfo only'}`, () => {
    const signOn = useStarted(() => startSingleSignOn({ hasClaimsInToken }));

    it('signs in the user with the verified e-mail address in any case, and later by subject alone', async () => {
      const user = await signOn.addUser({ email: 'ann@example.com' }, { email: 'Ann@Example.com' });
      expect((await signIn(signOn.service)).body.result.data.user.id).to.equal(user._id);
      Object.assign(signOn.provider.at.account, { email: 'other@example.com', email_verified: false });
      expect((await signIn(signOn.service)).body.result.data.user.id).to.equal(user._id);
    });
  });

describe('single sign-on', () => {
  const signOn = useStarted(() => startSingleSignOn());

  beforeEach(() => signOn.addUser());

  const start = async () => {
    const account = openAccount(signOn.service.url);
    const { url } = await account.api.session.startSingleSignOn.mutate();
    return { account, url, query: await signInAtProvider(url, signOn.service.url) };
  };
  type Account = ReturnType<typeof openAccount>;
  const finish = (account: Account, query: string) => account.call('session.finishSingleSignOn', { query });

  it('sends the browser to the provider with PKCE, state and nonce', async () => {
    const { url } = await start();
    const { origin, searchParams } = new URL(url);
    expect(origin).to.equal(signOn.provider.issuer);
    expect(searchParams.get('code_challenge_method')).to.equal('S256');
    for (const name of ['code_challenge', 'state', 'nonce'])
      expect(searchParams.get(name)?.length, name).to.be.at.least(43);
    expect(searchParams.get('redirect_uri')).to.equal(`${signOn.service.url}/account/callback`);
  });

  it("opens a session that the account page's API accepts, and audits it", async () => {
    const user = await signOn.addUser();
    const account = openAccount(signOn.service.url);
    await signIn(signOn.service, account);
    expect((await account.api.keys.list.query()).live).to.deep.equal([]);
    const [entry] = await signOn.service.models.auditEntries.list({ userId: user._id, limit: 1 });
    expect(entry).to.include({ operation: 'session.finishSingleSignOn', status: 200 });
  });

  it('401: refuses a replayed answer, even with the cookie restored', async () => {
    const { account, query } = await start();
    const cookies = new Map(account.cookies);
    expect((await finish(account, query)).status).to.equal(200);
    expect((await finish(account, query)).body.error.message).to.match(/^The sign-in took too long/);
    for (const [name, value] of cookies) account.cookies.set(name, value);
    expect((await finish(account, query)).body.error.message).to.match(/^The sign-in took too long/);
  });

  it('signs in every tab when several of one browser begin at once, and none undoes another', async () => {
    const account = openAccount(signOn.service.url);
    const tabs = await Promise.all(
      Array.from({ length: 3 }, () => account.api.session.startSingleSignOn.mutate()),
    );
    const queries = await Promise.all(tabs.map(({ url }) => signInAtProvider(url, signOn.service.url)));
    expect((await finish(account, '?error=access_denied&state=made-up')).status).to.equal(401);
    for (const query of queries) {
      expect((await finish(account, query)).status).to.equal(200);
      expect((await account.api.keys.list.query()).live).to.deep.equal([]);
    }
    expect([...account.cookies.keys()]).to.deep.equal(['gamehost_session']);
  });

  it("keeps only a browser's last eight pending sign-ins, so that its requests stay small", async () => {
    const account = openAccount(signOn.service.url);
    const begun: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      signOn.service.clock.advance(1000);
      begun.push((await account.api.session.startSingleSignOn.mutate()).url);
    }
    expect(account.cookies.size).to.equal(8);
    const query = await signInAtProvider(begun[2] as string, signOn.service.url); // one of the ten
    expect((await finish(account, query)).status).to.equal(200);
  });

  it("401: refuses another browser's code, and its whole response, in a victim's browser", async () => {
    const [victim, otherUser, another] = [await start(), await start(), await start()];
    const query = new URLSearchParams(victim.query);
    query.set('code', new URLSearchParams(otherUser.query).get('code') ?? '');
    expect(await statusAndMessageOf(finish(victim.account, `${query}`))).to.deep.equal(answerNotValid);
    const [status, message] = await statusAndMessageOf(finish(another.account, otherUser.query));
    expect(status).to.equal(401);
    expect(message).to.match(/^The sign-in took too long/);
  });

  it('401: refuses an answer of another issuer', async () => {
    const { account, query } = await start();
    const parameters = new URLSearchParams(query);
    parameters.set('iss', 'https://other.example');
    expect((await finish(account, `${parameters}`)).status).to.equal(401);
  });

  it('401: reports that the user canceled at the provider', async () => {
    const { account, url } = await start();
    const state = new URL(url).searchParams.get('state');
    const query = `?error=access_denied&state=${state}&iss=${encodeURIComponent(signOn.provider.issuer)}`;
    expect(await statusAndMessageOf(finish(account, query))).to.deep.equal([
      ...[401, 'The sign-in was canceled at the identity provider'],
    ]);
  });

  it("signs out here and returns the address that ends the provider's session", async () => {
    const account = openAccount(signOn.service.url);
    await signIn(signOn.service, account);
    const { next_url } = await account.api.session.signOut.mutate();
    const { origin, searchParams } = new URL(next_url ?? '');
    expect(origin).to.equal(signOn.provider.issuer);
    expect(searchParams.get('post_logout_redirect_uri')).to.equal(`${signOn.service.url}/account`);
    expect((await account.api.session.current.query()).user).to.equal(null);
  });

  it('leaves no code, state or token in the log and the database', async () => {
    const { account, query } = await start();
    const parameters = new URLSearchParams(query);
    await finish(account, query);
    await finish(account, query);
    const everything = (await storedText(signOn.service)) + signOn.service.logLines.join();
    for (const name of ['code', 'state'])
      expect(everything).not.to.include(parameters.get(name) ?? 'missing');
  });
});

for (const [authMethods, isInHeader] of [
  [['client_secret_basic'], true],
  [['client_secret_post'], false],
  [['client_secret_basic', 'client_secret_post'], false],
] as const)
  describe(`single sign-on at a provider that offers ${authMethods.join(' and ')}`, () => {
    const signOn = useStarted(() => startSingleSignOn({ authMethods: [...authMethods] }));

    it(`sends the client secret in the ${isInHeader ? 'header, encoded as a form' : 'body'}`, async () => {
      await signOn.addUser();
      expect((await signIn(signOn.service)).status).to.equal(200);
      const [scheme, credentials = ''] = signOn.provider.at.authorization.split(' ');
      expect(scheme).to.equal(isInHeader ? 'Basic' : '');
      if (isInHeader)
        expect(Buffer.from(credentials, 'base64').toString()).to.equal(
          'gamehost:a+secret%3A+100%25+%2B+of_the-provider.and+%26+the+service',
        );
    });
  });

describe('single sign-on at a provider', () => {
  it("logs both addresses when the provider's issuer differs from OIDC_ISSUER", async () => {
    const signOn = await startSingleSignOn();
    const { at, issuer } = signOn.provider;
    at.metadata = { issuer: `${issuer}/realm/` };
    const { status, body } = await openAccount(signOn.service.url).call('session.startSingleSignOn', {});
    expect([status, body.error.message]).to.deep.equal(answerNotValid);
    at.metadata = {};
    await signOn.addUser();
    at.alter = (claims) => ({ ...claims, iss: `${issuer}/` });
    expect(await statusAndMessageOf(signIn(signOn.service))).to.deep.equal(answerNotValid);
    const logged = signOn.service.logLines.filter((line) => line.includes('Single sign-on failed'));
    expect(logged.map((line) => JSON.parse(line).failure.issuers)).to.deep.equal([
      { expected: `${issuer}/`, received: `${issuer}/realm/` },
      { expected: issuer, received: `${issuer}/` },
    ]);
    await signOn.stop();
  });

  it('502 upstream_error: answers while the provider is unavailable, and recovers', async () => {
    const provider = await startIdentityProvider();
    const service = await startTestService({ config: { identityProvider: provider.settings } });
    const answer = await openAccount(service.url).call('session.startSingleSignOn', {});
    expect([answer.status, answer.body.error.data.code]).to.deep.equal([502, 'upstream_error']);
    provider.serve(service.url);
    expect((await openAccount(service.url).call('session.startSingleSignOn', {})).status).to.equal(200);
    await service.stop();
    await provider.stop();
  });
});

describe('single sign-on where OIDC_CREATE_USERS is true', () => {
  const signOn = useStarted(() => startSingleSignOn({ createsUsers: true }));

  const arrive = async (account: object, inToken: object = {}, { provider, service } = signOn) => {
    provider.at.account = { sub: JSON.stringify(account), email_verified: true, ...account };
    provider.at.alter = (claims) => ({ ...claims, ...inToken });
    const { body } = await signIn(service);
    return body.result?.data.user;
  };

  it('adds users, without a password', async () => {
    const user = await arrive({ email: 'Ann@Example.com', given_name: 'Ann' });
    expect(user).to.include({ email: 'ann@example.com', first_name: 'Ann', admin: false });
    expect((await signOn.service.models.users.find(user.id))?.passwordHash).to.equal(null);
  });

  it('takes a name missing from the ID token, and an e-mail address empty there, from userinfo', async () => {
    const [bea, dora] = ['bea@example.com', 'dora@example.com'];
    const named = await arrive({ email: bea, given_name: 'Bea' }, { email: bea, email_verified: true });
    expect(named).to.include({ email: bea, first_name: 'Bea' });
    expect(await arrive({ email: dora }, { email: '' })).to.include({ email: dora });
  });

  it('needs no userinfo if the ID token has a verified e-mail address, and treats empty claims as absent', async () => {
    const other = await startSingleSignOn({ createsUsers: true });
    other.provider.at.metadata = { userinfo_endpoint: `${other.provider.issuer}/none` };
    const email = 'cleo@example.com';
    const inToken = { email, email_verified: true, given_name: ' ' };
    expect(await arrive({ email: '' }, inToken, other)).to.include({ email, first_name: null });
    expect(await arrive({ email: '' }, { email }, other)).to.equal(undefined);
    await other.stop();
  });
});
