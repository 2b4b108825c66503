/** Sign-in links are created for a user over the API and used once, within a minute, on the account page. */
import { expect } from 'chai';
import { type Account, openAccount, signInAccount } from '../../support/account.ts';
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

  it('returns an address at PUBLIC_URL and its expiry (201)', async () => {
    const earliest = service.clock.now() + 60_000;
    const link = await createLink();
    expect(link.status).to.equal(201);
    expect(link.body.url).to.match(/^https:\/\/games\.example\/account\/link#[\w-]{43}$/);
    expect(Date.parse(link.body.expires_at)).to.be.within(earliest, service.clock.now() + 60_000);
  });

  it('signs the user in without a password', async () => {
    const account = openAccount(service.url);
    const { status, body } = await use(tokenOf(await createLink()), account);
    expect([status, body.result.data.user.email]).to.deep.equal([200, 'dana@example.com']);
    expect((await account.api.session.current.query()).user?.email).to.equal('dana@example.com');
  });

  it('is not used up by loading its page', async () => {
    const link = await createLink();
    for (const method of ['GET', 'HEAD']) {
      const page = await fetch(`${service.url}/account/link`, { method });
      expect([page.status, page.headers.get('Referrer-Policy')]).to.deep.equal([200, 'no-referrer']);
    }
    expect((await use(tokenOf(link))).status).to.equal(200);
  });

  it('works once, even when used ten times at once', async () => {
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

  it('is refused once the user is suspended, and no new one is issued (400 bad_request)', async () => {
    const token = tokenOf(await createLink());
    await put({ active: false });
    expectRefused(await use(token), 'This account is suspended; ask support');
    expectError(await createLink(), 'bad_request', 'The user is suspended');
  });

  describe('created with a key', () => {
    async function created(expiresAt: Date | null = null) {
      const { secret, key } = await service.addKey({ user: service.user, expiresAt });
      const path = '/admin/users/customer-1/sign-in-link';
      return { secret, key, token: tokenOf(await service.call('POST', path, { key: secret })) };
    }
    const report = (secret: string) =>
      service.call('POST', '/credentials/revoke', { body: { credentials: [secret] } });
    const revoke = async ({ _id: id }: { _id: string }) =>
      (await signInAccount(service.url, service.user)).api.keys.revoke.mutate({ id });
    const signIn = async (token: string) => {
      const account = openAccount(service.url);
      expect((await use(token, account)).status).to.equal(200);
      return async () => (await account.api.session.current.query()).user?.email ?? null;
    };
    const notValid = 'This sign-in link is not valid; ask for a new one';

    it('is refused once the key is revoked, while sessions opened by its earlier links stay', async () => {
      const { key, token, secret } = await created();
      const another = await service.call('POST', '/admin/users/customer-1/sign-in-link', { key: secret });
      const current = await signIn(tokenOf(another));
      await revoke(key);
      expectRefused(await use(token), notValid);
      expect(await current()).to.equal('dana@example.com');
    });

    it('is refused once the key has expired', async () => {
      const { token } = await created(new Date(service.clock.now() + 30_000));
      service.clock.advance(31_000);
      expectRefused(await use(token), notValid);
      expect((await openAccount(service.url).call('session.readLink', { token })).status).to.equal(401);
    });

    it('is refused once the key is reported as leaked', async () => {
      const { secret, token } = await created();
      await report(secret);
      expectRefused(await use(token), notValid);
    });

    for (const [when, isRevoked] of [
      ['', false],
      [', also when it had been revoked before', true],
    ] as const)
      it(`opens a session that ends when the key is reported as leaked${when}`, async () => {
        const { secret, key, token } = await created();
        const current = await signIn(token);
        const byPassword = await signInAccount(service.url, service.user);
        if (isRevoked) await revoke(key);
        expect(await current()).to.equal('dana@example.com');
        await report(secret);
        expect(await current()).to.equal(null);
        expect((await byPassword.api.session.current.query()).user?.id).to.equal(service.user._id);
      });

    it('opens a session that ends with a leak of the key even after a password change', async () => {
      const { secret, token } = await created();
      const account = openAccount(service.url);
      await account.api.session.signInByLink.mutate({ token });
      await account.api.session.changePassword.mutate({ new_password: 'a longer horse' });
      await report(secret);
      expect((await account.api.session.current.query()).user).to.equal(null);
    });

    it('is refused once its user is staff, even when created at the moment of the promotion', async () => {
      const { token } = await created();
      await service.models.users.change('dana@example.com', { isSupport: true });
      expectRefused(await use(token), notValid);
    });

    it("works while the key's successor does", async () => {
      const { key, token } = await created();
      const { api } = await signInAccount(service.url, service.user);
      await api.keys.rotate.mutate({ id: key._id, overlap_hours: 1 });
      await signIn(token);
    });

    it('never opens a lasting session when used during a leak report', async () => {
      for (let times = 0; times < 10; times += 1) {
        const { secret, token } = await created();
        const account = openAccount(service.url);
        await Promise.all([use(token, account), report(secret)]);
        expect((await account.api.session.current.query()).user).to.equal(null);
      }
    });
  });

  it('is a new link on each call, even with an Idempotency-Key, because a stored response would hold the token', async () => {
    const links = [await createLink(keyed), await createLink(keyed)];
    expect(links[0]?.body.url).not.to.equal(links[1]?.body.url);
  });

  it('appears in neither the database nor the log, and its use is audited with user and address', async () => {
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
