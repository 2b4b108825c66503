/** CLI commands that change one user: set, link, suspend, resume and delete, checked at the API and the account page. */
import { expect } from 'chai';
import { openAccount, signInAccount } from '../../support/account.ts';
import { createCli } from '../../support/cli.ts';
import { failureOf } from '../../support/failure-of.ts';
import { useService } from '../../support/service.ts';

describe('npm run cli: one user', () => {
  const service = useService();
  const cli = createCli(() => ({ MONGODB_URI: service.databaseUri }));

  describe('user set', () => {
    it('--password -: replaces the password and ends all sessions', async () => {
      const { email } = await service.addUser({ password: 'correct horse' });
      const session = await signInAccount(service.url, { email });
      await cli.json(`user set --email ${email} --password -`, 'another long horse\n');
      expect((await session.api.session.current.query()).user).to.equal(null);
      const again = await signInAccount(service.url, { email, password: 'another long horse' });
      expect((await again.api.session.current.query()).user?.email).to.equal(email);
      expect((await failureOf(signInAccount(service.url, { email }))).message).to.equal(
        'The e-mail address or the password is wrong',
      );
    });

    for (const [ending, name] of [
      ['\r\n', 'of Windows'],
      ['', 'missing'],
    ])
      it(`--password -: reads a UTF-8 line with a byte order mark and the line break ${name}`, async () => {
        const { email } = await service.addUser();
        await cli.json(`user set --email ${email} --password -`, `\ufeffanother löng horse${ending}`);
        await signInAccount(service.url, { email, password: 'another löng horse' });
      });

    it("--external-id: hands the user to the host's provisioning, and refuses an id that another user has", async () => {
      const { _id, email } = await service.addUser();
      const admin = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
      const set = `user set --email ${email} --external-id customer-1042`;
      expect(await cli.json(set)).to.include({ id: _id, external_id: 'customer-1042' });
      expect(await cli.json('user list --search CUSTOMER-1042')).to.have.lengthOf(1);
      const put = { key: admin.secret, body: { email, nickname: 'adopted' } };
      const { status, body } = await service.call('PUT', '/admin/users/customer-1042', put);
      expect([status, body.user.id, body.user.nickname]).to.deep.equal([200, _id, 'adopted']);
      const taken = `user set --email ${admin.user.email} --external-id customer-1042`;
      expect(await cli.refusal(taken)).to.equal('the external id customer-1042 belongs to another user');
    });

    it('--admin and --support: print the consequences for a user that the host provisions, and only for such users', async () => {
      const follows = 'From now on the API refuses to change this user';
      const { email } = await service.addUser();
      expect(await cli.text(`user set --email ${email} --admin`)).not.to.include(follows);
      await cli.json(`user set --email ${email} --no-admin --external-id customer-1043`);
      for (const role of ['--admin', '--support'])
        expect(await cli.text(`user set --email ${email} ${role}`)).to.include(follows);
    });
  });

  describe('user link', () => {
    it('prints a URL that signs the user in once, within the given time', async () => {
      const { email } = await service.addUser();
      const earliest = Date.now() + 30 * 60_000;
      const { url, expires_at } = await cli.json(`user link --email ${email} --minutes 30`);
      expect(Date.parse(expires_at)).to.be.within(earliest, Date.now() + 30 * 60_000);
      expect(url).to.match(/^http:\/\/127\.0\.0\.1:3000\/account\/link#[\w-]{43}$/);
      const account = openAccount(service.url);
      const token = new URL(url).hash.slice(1);
      await account.api.session.signInByLink.mutate({ token });
      expect((await account.api.session.current.query()).user?.email).to.equal(email);
      expect((await account.call('session.signInByLink', { token })).status).to.equal(401);
    });

    it('uses PUBLIC_URL in the link, and refuses a suspended user', async () => {
      const { email } = await service.addUser();
      const PUBLIC_URL = 'https://games.example/';
      const published = createCli({ MONGODB_URI: service.databaseUri, PUBLIC_URL });
      const printed = await published.text(`user link --email ${email}`);
      expect(printed).to.match(/^https:\/\/games\.example\/account\/link#/m);
      await cli.json(`user suspend --email ${email}`);
      expect(await cli.refusal(`user link --email ${email}`)).to.equal(`${email} is suspended`);
    });
  });

  describe('user suspend, resume, delete', () => {
    it('suspend blocks every key and ends every session, and resume restores the same keys', async () => {
      const { user, secret: key } = await service.addKey();
      const session = await signInAccount(service.url, user);
      const status = async () => (await service.call('GET', '/me', { key })).status;
      expect(await cli.json(`user suspend --email ${user.email}`)).to.include({ active: false });
      expect(await status()).to.equal(401);
      expect((await session.api.session.current.query()).user).to.equal(null);
      expect(await cli.json(`user suspend --email ${user.email}`)).to.include({ active: false });
      expect(await cli.json(`user resume --email ${user.email}`)).to.include({ active: true });
      expect(await status()).to.equal(200);
      expect((await signInAccount(service.url, user)).cookies.size).to.be.above(0);
    });

    it('delete ends keys and sessions at once, and keeps tickets and the audit', async () => {
      const { user, secret: key } = await service.addKey();
      const admin = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
      const session = await signInAccount(service.url, user);
      const body = { title: 'Lag', message: 'Since noon.' };
      const { id } = (await service.call('POST', '/tickets', { key, body })).body.ticket;
      expect(await cli.json(`user delete --email ${user.email}`)).to.deep.equal({ deleted: user._id });
      expect((await service.call('GET', '/me', { key })).status).to.equal(401);
      expect((await session.api.session.current.query()).user).to.equal(null);
      const ticket = await service.call('GET', `/admin/tickets/${id}`, { key: admin.secret });
      expect([ticket.status, ticket.body.ticket.subject]).to.deep.equal([200, 'Lag']);
      const calls = await service.models.auditEntries.list({ userId: user._id, limit: 10 });
      expect(calls.map(({ operation }) => operation)).to.include('tickets.create');
      expect(await cli.refusal(`user delete --email ${user.email}`)).to.equal(
        `no user has the e-mail address ${user.email}`,
      );
    });
  });
});
