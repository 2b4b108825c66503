/** Who may call the account page's procedures: the page itself, with a session; nobody with a key; no other page. */
import { expect } from 'chai';
import { readSessionCatalogue } from '../../../bridge/catalogue.ts';
import type { UserRecord } from '../../../models/user.ts';
import { accountPageRouter } from '../../../routers/account-page.ts';
import { openAccount, signedIn } from '../../support/account.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const procedures = readSessionCatalogue(accountPageRouter);
const needingSession = procedures.filter(({ session }) => session === 'required');

describe("the account page's door", () => {
  let service: TestService;
  let user: UserRecord;

  before(async () => {
    service = await startTestService();
    user = await service.addUser();
  });
  after(() => service.stop());

  const bodyFor = (type: 'query' | 'mutation') => (type === 'mutation' ? {} : undefined);

  it('has the procedures of keys and sessions, and no others', () => {
    expect(procedures.map(({ name, session }) => `${name} ${session}`).sort()).to.deep.equal([
      'keys.create required',
      'keys.list required',
      'keys.revoke required',
      'keys.rotate required',
      'session.changePassword required',
      'session.current optional',
      'session.signIn optional',
      'session.signOut optional',
    ]);
  });

  for (const { name, type } of needingSession)
    it(`401 unauthorized: ${name} without a session, or with a key in its place`, async () => {
      const { secret } = await service.addKey({ user });
      const account = openAccount(service.url);
      for (const headers of [{}, { Authorization: `Bearer ${secret}` }, { 'X-API-Key': secret }]) {
        const answer = await account.call(name, bodyFor(type), headers);
        expect(answer.status).to.equal(401);
        expect(answer.body.error.data.code).to.equal('unauthorized');
      }
    });

  for (const { name, type } of procedures)
    it(`${name} is not at /trpc, with key, session or both`, async () => {
      const { secret } = await service.addKey({ user });
      const { cookies } = await signedIn(service.url, user);
      const cookie = { Cookie: [...cookies].map((pair) => pair.join('=')).join() };
      const key = { key: secret, headers: cookie };
      const method = type === 'mutation' ? 'POST' : 'GET';
      const body = type === 'mutation' ? { body: {} } : {};
      expect((await service.callAt(method, `/trpc/${name}`, { ...key, ...body })).status).to.equal(404);
      const alone = await service.callAt(method, `/trpc/${name}`, { headers: cookie, ...body });
      expect(alone.status).to.equal(401);
    });

  it('404 not_found: what needs a key is not here, even with one', async () => {
    const { secret } = await service.addKey({ user });
    const account = await signedIn(service.url, user);
    const answer = await account.call('account.me', undefined, { Authorization: `Bearer ${secret}` });
    expect(answer.status).to.equal(404);
  });

  it('401 unauthorized: a session opens nothing of the API', async () => {
    const { cookies } = await signedIn(service.url, user);
    const Cookie = [...cookies].map((pair) => pair.join('=')).join();
    expect((await service.call('GET', '/me', { headers: { Cookie } })).status).to.equal(401);
  });

  const foreign: Record<string, Record<string, string>> = {
    'another site': { 'Sec-Fetch-Site': 'cross-site' },
    'another host of the same site': { 'Sec-Fetch-Site': 'same-site' },
    'another origin, by a browser that tells only that': {
      'Sec-Fetch-Site': '',
      Origin: 'http://evil.example',
    },
    'another port of this host': { 'Sec-Fetch-Site': '', Origin: 'http://127.0.0.1:1' },
    'nobody knows where': { 'Sec-Fetch-Site': '' },
    'a page without origin': { 'Sec-Fetch-Site': '', Origin: 'null' },
  };
  for (const [whose, headers] of Object.entries(foreign))
    it(`403 forbidden_origin: a change asked for by ${whose}, and nothing is changed`, async () => {
      const account = await signedIn(service.url, user);
      const request = { name: 'x', scopes: ['read:account'] };
      const answer = await account.call('keys.create', request, headers);
      expect(answer.status).to.equal(403);
      expect(answer.body.error.data.code).to.equal('forbidden_origin');
      expect((await account.api.keys.list.query()).live.map(({ name }) => name)).not.to.include('x');
    });

  it('lets in its own page when the browser tells only the origin', async () => {
    const account = await signedIn(service.url, user);
    const headers = { 'Sec-Fetch-Site': '', Origin: service.url };
    expect((await account.call('session.signOut', {}, headers)).status).to.equal(200);
  });

  it('400 bad_request: a form of another page cannot send JSON, so nothing but JSON is read', async () => {
    const account = await signedIn(service.url, user);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const answer = await account.call('session.signOut', {}, { 'Content-Type': type });
      expect(answer.status, type).to.equal(400);
    }
    expect((await account.api.session.current.query()).user?.email).to.equal(user.email);
  });

  it('405 method_not_allowed: a change by GET', async () => {
    const account = await signedIn(service.url, user);
    expect((await account.call('session.signOut')).status).to.equal(405);
  });

  it('tells pages of other origins nothing, even where CORS_ORIGINS lets them call the API', async () => {
    const open = await startTestService({ config: { corsOrigins: ['*'] } });
    const headers = { Origin: 'http://other.example' };
    const answer = await openAccount(open.url).call('session.current', undefined, headers);
    expect(answer.headers.has('Access-Control-Allow-Origin')).to.equal(false);
    await open.stop();
  });

  it('lets nothing of what it says be stored', async () => {
    const answer = await openAccount(service.url).call('session.current');
    expect(answer.headers.get('Cache-Control')).to.equal('no-store');
  });
});
