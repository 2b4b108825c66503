/** The account page's procedures need the same origin and a session, and accept no key. */
import { expect } from 'chai';
import { readOperations, readSessionOperations } from '../../../bridge/operations.ts';
import type { UserRecord } from '../../../models/user.ts';
import { accountPageRouter } from '../../../routers/account/index.ts';
import { appRouter } from '../../../routers/index.ts';
import { type Account, openAccount, signInAccount } from '../../support/account.ts';
import { sampleInputOf } from '../../support/sample-inputs.ts';
import { useService } from '../../support/service.ts';

const procedures = readSessionOperations(accountPageRouter);
/** Some procedures share their name with an API operation, which takes a key and no session. */
const apiNames = new Set(readOperations(appRouter).map(({ name }) => name));
const pageOnly = procedures.filter(({ name }) => !apiNames.has(name));
const needingSession = procedures.filter(({ session }) => session === 'required');
/** Administrator procedures refuse everyone else, whatever the input names. */
const naming = needingSession.filter(
  ({ input, adminScope }) =>
    adminScope === undefined &&
    Object.keys(input.shape).some((field) =>
      /^(id|(request|ticket|webhook)_id|server_identifier)$/.test(field),
    ),
);

describe("the account page's procedures", () => {
  const service = useService({ config: { corsOrigins: ['*'] } });
  let user: UserRecord;
  let key: string;
  let account: Account;
  let Cookie: string;

  before(async () => {
    user = await service.addUser({ isSupport: true });
    ({ secret: key } = await service.addKey({ user }));
    account = await signInAccount(service.url, user);
    Cookie = [...account.cookies].map((pair) => pair.join('=')).join();
  });

  it('need a session, except those for signing in and out', () => {
    const open = procedures.filter(({ session }) => session === 'optional').map(({ name }) => name);
    expect(open).to.have.members([
      'session.current',
      'session.signIn',
      'session.mailLink',
      'session.readLink',
      'session.signInByLink',
      'session.askForPasskey',
      'session.showFactor',
      'session.startSingleSignOn',
      'session.finishSingleSignOn',
      'session.signOut',
    ]);
  });

  for (const { name, type } of needingSession)
    it(`refuse ${name} with 401 without a session, even with a key`, async () => {
      for (const headers of [{}, { Authorization: `Bearer ${key}` }, { 'X-API-Key': key }]) {
        const body = type === 'mutation' ? {} : undefined;
        const answer = await openAccount(service.url).call(name, body, headers);
        expect([answer.status, answer.body.error.data.code]).to.deep.equal([401, 'unauthorized']);
      }
    });

  for (const { name, type } of pageOnly)
    it(`do not offer ${name} at /trpc, by key or session`, async () => {
      const headers = { Cookie };
      const request = type === 'mutation' ? { headers, body: {} } : { headers };
      const call = (caller: { key?: string }) =>
        service.callAt(type === 'mutation' ? 'POST' : 'GET', `/trpc/${name}`, { ...request, ...caller });
      expect((await call({ key })).status).to.equal(404);
      expect((await call({})).status).to.equal(401);
    });

  for (const row of naming)
    it(`answer 404 when ${row.name} names what the user does not have`, async () => {
      const input = sampleInputOf(row);
      const query = `${row.name}?input=${encodeURIComponent(JSON.stringify(input))}`;
      const answer = await (row.type === 'mutation' ? account.call(row.name, input) : account.call(query));
      expect([answer.status, answer.body.error.data.code]).to.deep.equal([404, 'not_found']);
    });

  it('answer 404 for procedures that take a key', async () => {
    const answer = await account.call('account.me', undefined, { Authorization: `Bearer ${key}` });
    expect(answer.status).to.equal(404);
  });

  it('keep their session out of the API, which refuses it with 401', async () => {
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
      const request = { name: 'x', scopes: ['read:account'] };
      const answer = await account.call('keys.create', request, headers);
      expect([answer.status, answer.body.error.data.code]).to.deep.equal([403, 'forbidden_origin']);
      expect((await account.api.keys.list.query()).live.map(({ name }) => name)).not.to.include('x');
    });

  it('accept the page itself in a browser that sends only Origin', async () => {
    const headers = { 'Sec-Fetch-Site': '', Origin: service.url };
    expect((await account.call('sessions.endOthers', {}, headers)).status).to.equal(200);
  });

  it('refuse every content type except JSON with 400, because HTML forms cannot send JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const answer = await account.call('session.signOut', {}, { 'Content-Type': type });
      expect(answer.status, type).to.equal(400);
    }
    expect((await account.api.session.current.query()).user?.email).to.equal(user.email);
  });

  it('refuse a mutation by GET with 405', async () => {
    expect((await account.call('session.signOut')).status).to.equal(405);
  });

  it('send no CORS headers and forbid caching, even where CORS_ORIGINS admits other origins to the API', async () => {
    const headers = { Origin: 'http://other.example' };
    const answer = await openAccount(service.url).call('session.current', undefined, headers);
    expect(answer.headers.has('Access-Control-Allow-Origin')).to.equal(false);
    expect(answer.headers.get('Cache-Control')).to.equal('no-store');
  });
});
