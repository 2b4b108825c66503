/** Sign-in links: created for a user over the API, used once and within a minute on the account page. */
import { expect } from 'chai';
import { type Account, openAccount } from '../../support/account.ts';
import { expectError } from '../../support/expect-error.ts';
import type { Answer } from '../../support/service.ts';
import { useAdmin } from '../../support/use-key.ts';

describe('/admin/users/{external_id}/sign-in-link', () => {
  const service = useAdmin({ config: { publicUrl: 'https://games.example', trustProxy: true } });

  beforeEach(async () => {
    await service.connection.collection('users').deleteMany({ externalId: 'customer-1' });
    await put({});
  });

  const put = (body: object) =>
    service.call('PUT', '/admin/users/customer-1', {
      key: service.key,
      body: { email: 'dana@example.com', ...body },
    });
  const createLink = (headers = {}) =>
    service.call('POST', '/admin/users/customer-1/sign-in-link', { key: service.key, headers });
  const tokenOf = ({ body }: { body: { url: string } }) => new URL(body.url).hash.slice(1);
  const use = (token: string, account: Account = openAccount(service.url)) =>
    account.call('session.signInByLink', { token }, { 'X-Forwarded-For': '203.0.113.7' });
  const expectRefused = ({ status, body }: Answer, message: string) =>
    expect([status, body.error.message]).to.deep.equal([401, message]);

  it('201: an address at PUBLIC_URL, and when it expires', async () => {
    const earliest = service.clock.now() + 60_000;
    const link = await createLink();
    expect(link.status).to.equal(201);
    expect(link.body.url).to.match(/^https:\/\/games\.example\/account\/link#[\w-]{43}$/);
    expect(Date.parse(link.body.expires_at)).to.be.within(earliest, service.clock.now() + 60_000);
  });

  it('signs the user in, who needs no password', async () => {
    const account = openAccount(service.url);
    const { status, body } = await use(tokenOf(await createLink()), account);
    expect([status, body.result.data.user.email]).to.deep.equal([200, 'dana@example.com']);
    expect((await account.api.session.current.query()).user?.email).to.equal('dana@example.com');
  });

  it('is not used up by requests for its page', async () => {
    const link = await createLink();
    for (const method of ['GET', 'HEAD']) {
      const page = await fetch(`${service.url}/account/link`, { method });
      expect([page.status, page.headers.get('Referrer-Policy')]).to.deep.equal([200, 'no-referrer']);
    }
    expect((await use(tokenOf(link))).status).to.equal(200);
  });

  it('works once, also when it is used ten times at once', async () => {
    const token = tokenOf(await createLink());
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await use(token)).status));
    expect(statuses.sort()).to.deep.equal([200, ...Array(9).fill(401)]);
    expectRefused(await use(token), 'This sign-in link was already used; ask for a new one');
  });

  it('works for 60 seconds', async () => {
    const token = tokenOf(await createLink());
    service.clock.advance(60_000);
    expectRefused(await use(token), 'This sign-in link has expired; ask for a new one');
  });

  it('is refused when it was never created', async () => {
    expectRefused(await use('never-created'), 'This sign-in link is not valid; ask for a new one');
  });

  it('is refused once the user is suspended, who gets no other: 400 bad_request', async () => {
    const token = tokenOf(await createLink());
    await put({ active: false });
    expectRefused(await use(token), 'This account is suspended; ask support');
    expectError(await createLink(), 'bad_request', 'The user is suspended');
  });

  it('another link for each call, whatever its Idempotency-Key, because a stored response would hold the token', async () => {
    const links = [await createLink(keyed), await createLink(keyed)];
    expect(links[0]?.body.url).not.to.equal(links[1]?.body.url);
  });

  it('is nowhere in the database or the log, where its use is audited with user and address', async () => {
    const token = tokenOf(await createLink(keyed));
    await use(token);
    await use(token);
    const stored = await Promise.all(
      Object.values(service.connection.models).map(({ collection }) =>
        service.connection.collection(collection.collectionName).find().toArray(),
      ),
    );
    expect(JSON.stringify(stored) + service.logLines.join()).not.to.include(token);
    const { body } = await service.call('GET', '/admin/users/customer-1', { key: service.key });
    const entries = await service.connection
      .collection('audit_entries')
      .find({ operation: 'session.signInByLink', userId: body.user.id })
      .toArray();
    expect(entries.map(({ userId, status, address }) => [userId, status, address])).to.have.deep.members([
      [body.user.id, 200, '203.0.113.7'],
      [body.user.id, 401, '203.0.113.7'],
    ]);
  });
});

const keyed = { 'Idempotency-Key': 'link-1' };
