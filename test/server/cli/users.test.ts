/** CLI commands for users and keys, checked by what the API answers. */
import { expect } from 'chai';
import { verifyPassword } from '../../../models/support/secrets.ts';
import { createCli, runCli } from '../../support/cli.ts';
import { useService } from '../../support/service.ts';

describe('npm run cli: users and keys', () => {
  const service = useService();
  const cli = createCli(() => ({ MONGODB_URI: service.databaseUri }));

  const profile = {
    email: 'ada@example.com',
    nickname: 'ada',
    first_name: 'Ada',
    last_name: 'of Byron',
    chat_id: '42',
    chat_username: 'ada#1',
    chat_avatar_url: 'https://chat.example/ada.png',
  };
  const addAda = [
    ...['user', 'add', '--email', ' Ada@Example.COM', '--password', '-', '--panel-user', '7'],
    ...['--nickname', 'ada', '--first-name', 'Ada', '--last-name', 'of Byron', '--chat-id', '42'],
    ...['--chat-username', 'ada#1', '--chat-avatar-url', 'https://chat.example/ada.png'],
  ];

  describe('user', () => {
    it('add: stores the whole profile and a hash of the password from standard input', async () => {
      const added = await cli.json(addAda, 'correct horse battery\nnot this line\n');
      expect(added).to.deep.include({ ...profile, admin: false, panel_user_id: 7 });
      expect(added).to.have.all.keys(
        ...[...Object.keys(profile), 'id', 'admin', 'support', 'external_id', 'active', 'panel_user_id'],
        ...['has_second_factor', 'created_at', 'updated_at'],
      );
      const user = await service.models.users.findByEmail('ada@example.com');
      expect(await verifyPassword(user?.passwordHash ?? '', 'correct horse battery')).to.equal(true);
    });

    it('add: refuses an e-mail address that is taken, in upper or lower case', async () => {
      const again = ['user', 'add', '--email', 'ADA@example.com', '--password', 'another horse'];
      expect(await cli.refusal(again)).to.equal('the e-mail address ada@example.com is taken');
      expect(await service.models.users.listPage({ after: 0, limit: 9 })).to.have.length(1);
    });

    it('add and set: refuse a panel user that another user has', async () => {
      const another = ['user', 'add', '--email', 'bea@example.com', '--password', 'correct horse battery'];
      const message = 'the panel user 7 belongs to another user';
      expect(await cli.refusal([...another, '--panel-user', '7'])).to.equal(message);
      const { email } = await service.addUser();
      expect(await cli.refusal(`user set --email ${email} --admin --panel-user 7`)).to.equal(message);
      expect(await service.models.users.findByEmail(email)).to.include({ isAdmin: false, panelUserId: null });
      const { transaction, userAccess, users } = service.models;
      const { _id = 0 } = (await users.findByEmail(email)) ?? {};
      await transaction((session) => userAccess.delete(_id, new Date(), session));
    });

    it('list: shows all users in aligned columns that no name can break', async () => {
      await service.addUser({ email: 'mallory@example.com', nickname: '\u001b[2Jm\u202e\n' });
      const lines = (await cli.text('user list')).trimEnd().split('\n');
      expect(lines).to.have.length(3);
      const [heading = '', ada, mallory] = lines;
      expect(heading).to.match(
        /^ID +EXTERNAL ID +EMAIL +NICKNAME +ADMIN +SUPPORT +ACTIVE +HAS SECOND FACTOR +PANEL USER ID +CREATED AT$/,
      );
      expect(ada?.slice(heading.indexOf('EMAIL'))).to.match(/^ada@example\.com +ada +no +no +yes +no +7 +20/);
      expect(mallory?.slice(heading.indexOf('NICKNAME'))).to.match(/^\?\[2Jm\?\? +no +no +yes +no +- +20/);
    });

    it('list --json: escapes control and direction characters', async () => {
      const nickname = 'a\u007f\u0080\u009f\u202a\u202e\u2066\u2069\u2028b';
      await service.addUser({ email: 'escaped@example.com', nickname });
      const { stdout } = await runCli(['user', 'list', '--json'], {
        env: { MONGODB_URI: service.databaseUri },
      });
      expect(stdout).to.include('a\\u007f\\u0080\\u009f\\u202a\\u202e\\u2066\\u2069\\u2028b');
      expect(JSON.parse(stdout).at(-1).nickname).to.equal(nickname);
    });

    it('set: changes the given fields and nothing else', async () => {
      const first = await cli.json('user set --email ADA@example.com --admin --panel-user none');
      expect(first).to.include({ nickname: 'ada', admin: true, panel_user_id: null });
      expect(await cli.json('user set --email ada@example.com --panel-user 9')).to.include({
        admin: true,
        panel_user_id: 9,
      });
      expect(await cli.json('user set --email ada@example.com --no-admin')).to.include({
        admin: false,
        panel_user_id: 9,
      });
    });
  });

  describe('key', () => {
    it('issue, list, revoke: let a key work until it is revoked, and show its secret once', async () => {
      const issued = await cli.json(
        'key issue --email ada@example.com --name laptop --scopes read:account,read:catalog,read:account --expires 2100-01-31',
      );
      expect(issued).to.have.all.keys(
        ...['id', 'key', 'prefix', 'scopes', 'expires_at', 'calls_per_minute', 'servers', 'addresses'],
      );
      expect(issued.key)
        .to.match(/^gamehost_live_[0-9A-Za-z]{42}$/)
        .and.satisfy((key: string) => key.startsWith(issued.prefix));
      expect(issued).to.deep.include({
        scopes: ['read:account', 'read:catalog'],
        expires_at: '2100-01-31T00:00:00.000Z',
      });
      const { body } = await service.call('GET', '/me', { key: issued.key });
      expect(body.user).to.deep.include(profile);

      const listed = await cli.json('key list --email ada@example.com');
      const { id, prefix, scopes, expires_at } = issued;
      expect(listed).to.have.length(1);
      expect(listed[0]).to.deep.include({ id, prefix, scopes, expires_at, name: 'laptop', revoked_at: null });
      expect(JSON.stringify(listed)).to.not.include(issued.key);

      const { revoked_at } = await cli.json(['key', 'revoke', id]);
      const answer = await service.call('GET', '/me', { key: issued.key });
      expect(answer).to.deep.include({
        status: 401,
        body: { error: { code: 'unauthorized', message: 'API key revoked' } },
      });
      expect((await cli.json(['key', 'revoke', id])).revoked_at).to.equal(revoked_at);
      expect(await cli.refusal('key revoke nonesuch')).to.equal('there is no key nonesuch');
    });

    it('rename: changes the name and nothing else', async () => {
      const { email } = await service.addUser();
      const { id, key } = await cli.json(`key issue --email ${email} --name laptop --scopes read:account`);
      const [before] = await cli.json(`key list --email ${email}`);
      expect(await cli.text(`key rename ${id} --name desktop`)).to.equal(`Key ${id} is now named desktop.\n`);
      expect(await cli.json(`key list --email ${email}`)).to.deep.equal([{ ...before, name: 'desktop' }]);
      expect((await service.call('GET', '/key', { key })).body.key.name).to.equal('desktop');
      expect(await cli.refusal('key rename nonesuch --name desktop')).to.equal('there is no key nonesuch');
    });

    it("issue --calls-per-minute: sets the key's own limit, which GET /key shows and the limiter enforces", async () => {
      const command = 'key issue --email ada@example.com --name machine --scopes read:account';
      const { key, calls_per_minute } = await cli.json(`${command} --calls-per-minute 6000`);
      expect(calls_per_minute).to.equal(6000);
      const { body, headers } = await service.call('GET', '/key', { key });
      expect(body.key.limit).to.deep.equal({ calls_per_minute: 6000 });
      expect(headers.get('X-RateLimit-Limit')).to.equal('6000');
    });

    it('issue: prints the secret as text too, and the key never expires without --expires', async () => {
      const printed = await cli.text(
        'key issue --email ada@example.com --name forever --scopes read:account',
      );
      const [secret] = /gamehost_live_\w+/.exec(printed.split('\n')[1] ?? '') ?? [];
      expect(printed).to.include('Expires: never');
      expect((await service.call('GET', '/me', { key: secret ?? null })).status).to.equal(200);
    });

    const roles = [
      { role: 'admin', scope: 'admin:announcements', path: '/admin/announcements' },
      { role: 'support', scope: 'admin:tickets', path: '/admin/tickets' },
    ];
    for (const { role, scope, path } of roles)
      it(`issue: grants ${scope} only to users with the role ${role}, and only while they have it`, async () => {
        const { email } = await service.addUser();
        const issue = `key issue --email ${email} --name office --scopes ${scope}`;
        expect(await cli.refusal(issue)).to.equal(`${email} is a customer, so the key cannot have ${scope}`);
        await cli.json(`user set --email ${email} --${role}`);
        const { key } = await cli.json(issue);
        const status = async () => (await service.call('GET', path, { key })).status;
        expect(await status()).to.equal(200);
        await cli.json(`user set --email ${email} --no-${role}`);
        expect(await status()).to.equal(403);
      });

    it('issue: refuses support staff every admin scope but admin:tickets', async () => {
      const { email } = await service.addUser({ isSupport: true });
      const issue = `key issue --email ${email} --name desk --scopes admin:tickets,admin:users,admin:catalog`;
      expect(await cli.refusal(issue)).to.equal(
        `${email} is support, so the key cannot have admin:users, admin:catalog`,
      );
    });

    it('issue: removes all other admin scopes from keys of an administrator who becomes support staff', async () => {
      const { user, secret: key } = await service.addKey({
        user: await service.addUser({ isAdmin: true }),
        scopes: ['admin:tickets', 'admin:users'],
      });
      await cli.json(`user set --email ${user.email} --no-admin --support`);
      expect((await service.call('GET', '/admin/users', { key })).status).to.equal(403);
      expect((await service.call('GET', '/admin/tickets', { key })).status).to.equal(200);
    });
  });

  it('refuses an unknown e-mail address in every command about a user', async () => {
    const calls = [
      'user set --admin',
      'user link',
      'user suspend',
      'user resume',
      'user delete',
      'key issue --name k --scopes read:catalog',
      'key list',
      'audit list',
    ];
    const messages = await cli.refusals(calls.map((call) => `${call} --email nobody@example.com`));
    expect(messages).to.deep.equal(calls.map(() => 'no user has the e-mail address nobody@example.com'));
  });
});
