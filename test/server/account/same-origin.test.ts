/** Access to the account page's procedures: same origin and a session; never by key or from another origin. */
import { expect } from 'chai';
import { readOperations, readSessionOperations } from '../../../bridge/operations.ts';
import type { UserRecord } from '../../../models/user.ts';
import { accountPageRouter } from '../../../routers/account/index.ts';
import { appRouter } from '../../../routers/index.ts';
import { openAccount, signedIn } from '../../support/account.ts';
import { startTestService, useService } from '../../support/service.ts';

const procedures = readSessionOperations(accountPageRouter);
/** Some share their name with an operation of the API, which takes a key and no session. */
const apiNames = new Set(readOperations(appRouter).map(({ name }) => name));
const pageOnly = procedures.filter(({ name }) => !apiNames.has(name));
const needingSession = procedures.filter(({ session }) => session === 'required');

describe("the account page's procedures", () => {
  const service = useService();
  let user: UserRecord;

  before(async () => {
    user = await service.addUser();
  });

  const bodyFor = (type: 'query' | 'mutation') => (type === 'mutation' ? {} : undefined);

  it('need a session, but for signing in and out', () => {
    const open = procedures.filter(({ session }) => session === 'optional').map(({ name }) => name);
    expect(open).to.have.members([
      'session.current',
      'session.signIn',
      'session.readLink',
      'session.signInByLink',
      'session.startSingleSignOn',
      'session.finishSingleSignOn',
      'session.signOut',
    ]);
  });

  for (const { name, type } of needingSession)
    it(`refuse ${name} with 401 without a session, also with a key`, async () => {
      const { secret } = await service.addKey({ user });
      const account = openAccount(service.url);
      for (const headers of [{}, { Authorization: `Bearer ${secret}` }, { 'X-API-Key': secret }]) {
        const answer = await account.call(name, bodyFor(type), headers);
        expect(answer.status).to.equal(401);
        expect(answer.body.error.data.code).to.equal('unauthorized');
      }
    });

  for (const { name, type } of pageOnly)
    it(`do not offer ${name} at /trpc, by key or session`, async () => {
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

  it('do not include procedures that take a key: 404', async () => {
    const { secret } = await service.addKey({ user });
    const account = await signedIn(service.url, user);
    const answer = await account.call('account.me', undefined, { Authorization: `Bearer ${secret}` });
    expect(answer.status).to.equal(404);
  });

  it('refuse a session at the API with 401', async () => {
    const { cookies } = await signedIn(service.url, user);
    const Cookie = [...cookies].map((pair) => pair.join('=')).join();
    expect((await service.call('GET', '/me', { headers: { Cookie } })).status).to.equal(401);
  });

  const foreign: Record<string, Record<string, string>> = {
    'another site': { 'Sec-Fetch-Site': 'cross-site' },
    'another host of the same site': { 'Sec-Fetch-Site': 'same-site' },
    'another origin, in a browser without Sec-Fetch-Site': {
      'Sec-Fetch-Site': '',
      Origin: 'http://evil.example',
    },
    'another port of this host': { 'Sec-Fetch-Site': '', Origin: 'http://127.0.0.1:1' },
    'an unknown origin': { 'Sec-Fetch-Site': '' },
    'an opaque origin': { 'Sec-Fetch-Site': '', Origin: 'null' },
  };
  for (const [whose, headers] of Object.entries(foreign))
    it(`refuse a mutation from ${whose} with 403, and change nothing`, async () => {
      const account = await signedIn(service.url, user);
      const request = { name: 'x', scopes: ['read:account'] };
      const answer = await account.call('keys.create', request, headers);
      expect(answer.status).to.equal(403);
      expect(answer.body.error.data.code).to.equal('forbidden_origin');
      expect((await account.api.keys.list.query()).live.map(({ name }) => name)).not.to.include('x');
    });

  it('accept the page itself in a browser that sends only Origin', async () => {
    const account = await signedIn(service.url, user);
    const headers = { 'Sec-Fetch-Site': '', Origin: service.url };
    expect((await account.call('session.signOut', {}, headers)).status).to.equal(200);
  });

  it('refuse every content type but JSON with 400, as HTML forms cannot send JSON', async () => {
    const account = await signedIn(service.url, user);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const answer = await account.call('session.signOut', {}, { 'Content-Type': type });
      expect(answer.status, type).to.equal(400);
    }
    expect((await account.api.session.current.query()).user?.email).to.equal(user.email);
  });

  it('refuse a mutation by GET with 405', async () => {
    const account = await signedIn(service.url, user);
    expect((await account.call('session.signOut')).status).to.equal(405);
  });

  it('send no CORS headers, even where CORS_ORIGINS admits other origins to the API', async () => {
    const open = await startTestService({ config: { corsOrigins: ['*'] } });
    const headers = { Origin: 'http://other.example' };
    const answer = await openAccount(open.url).call('session.current', undefined, headers);
    expect(answer.headers.has('Access-Control-Allow-Origin')).to.equal(false);
    await open.stop();
  });

  it('forbid caching of their responses', async () => {
    const answer = await openAccount(service.url).call('session.current');
    expect(answer.headers.get('Cache-Control')).to.equal('no-store');
  });
});
