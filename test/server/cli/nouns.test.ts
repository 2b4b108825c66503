/** CLI commands for announcements, apps, subscriptions, tickets and the audit, checked by what the API answers. */
import { expect } from 'chai';
import { defaultScopes } from '../../../routers/scopes.ts';
import { createCli } from '../../support/cli.ts';
import { connectApp } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';

describe('npm run cli', () => {
  const service = useService({ hasApps: true });
  const cli = createCli(() => ({ MONGODB_URI: service.databaseUri }));

  describe('announcement', () => {
    let key: string;

    before(async () => {
      ({ secret: key } = await service.addKey());
    });

    const shown = async (): Promise<number[]> => {
      const { body } = await service.call('GET', '/announcements', { key });
      return body.announcements.map(({ id }: { id: number }) => id);
    };

    it('add: stores a draft that customers cannot see, and publish shows it for good', async () => {
      const words = [
        'announcement',
        'add',
        '--title',
        'Maintenance',
        '--message',
        '-',
        '--tag',
        'news',
        '--ribbon',
      ];
      const added = await cli.json(words, 'We move.\nOn Tuesday.\n');
      expect(added).to.deep.include({
        ...{ title: 'Maintenance', message: 'We move.\nOn Tuesday.', summary: '', tag: 'news' },
        ...{ status: 'draft', show_in_ribbon: true, published_at: null },
      });
      expect(await shown()).to.deep.equal([]);
      const { published_at } = await cli.json(`announcement publish ${added.id}`);
      expect(await shown()).to.deep.equal([added.id]);
      expect((await cli.json(`announcement publish ${added.id}`)).published_at).to.equal(published_at);
      expect(await cli.text('announcement list')).to.match(
        /^ID +STATUS +PUBLISHED AT +TAG +RIBBON +TITLE\n\d+ +published +20\S+ +news +yes +Maintenance\n$/,
      );
    });

    it('add --publish: publishes it at once', async () => {
      const { id } = await cli.json('announcement add --title Now --message Hello --publish');
      expect(await shown()).to.include(id);
    });

    it('publish --at: publishes it at that time', async () => {
      const { id } = await cli.json('announcement add --title Later --message Hello');
      const { published_at } = await cli.json(`announcement publish ${id} --at 2100-01-31`);
      expect(published_at).to.equal('2100-01-31T00:00:00.000Z');
      expect(await shown()).not.to.include(id);
    });

    it('list: shows the given number, and those before an id', async () => {
      const [newest, next] = await cli.json('announcement list --limit 2');
      expect(await cli.json(`announcement list --limit 1 --before ${newest.id}`)).to.deep.equal([next]);
    });

    it('exits with 1 if the announcement does not exist', async () => {
      expect(await cli.refusal('announcement publish 999')).to.equal('there is no announcement 999');
    });
  });

  describe('app', () => {
    const connect = async () => {
      const { email } = await service.addUser();
      return { email, ...(await connectApp(service, { email })) };
    };
    const statusWith = async (key: string) => (await service.call('GET', '/me', { key })).status;

    it('list: shows the apps of one user or of all', async () => {
      const { email, clientId } = await connect();
      await connect();
      const [app, ...others] = await cli.json(`app list --email ${email}`);
      expect(others).to.deep.equal([]);
      expect(app).to.include({ name: 'Test agent', host: null, client_id: clientId, last_used_at: null });
      expect(app.scopes).to.have.members(defaultScopes);
      expect(await cli.json('app list')).to.have.length(2);
      expect(await cli.text('app list --limit 1')).to.match(/^ID .+NAME.+\n[\w-]+ .+Test agent.+\n$/);
    });

    it('revoke: ends one connection at its next call', async () => {
      const { email, tokens } = await connect();
      const [{ id }] = await cli.json(`app list --email ${email}`);
      expect(await statusWith(tokens.access_token)).to.equal(200);
      expect(await cli.json(`app revoke ${id}`)).to.deep.equal({ revoked: 1 });
      expect(await statusWith(tokens.access_token)).to.equal(401);
      expect(await cli.refusal(`app revoke ${id}`)).to.equal(`there is no connection ${id}`);
    });

    it('revoke --client: ends all connections of an app', async () => {
      const { clientId, tokens } = await connect();
      const other = await service.addUser();
      const second = await connectApp(service, { email: other.email, clientId });
      expect(await cli.json(`app revoke --client ${clientId}`)).to.deep.equal({ revoked: 2 });
      expect(await statusWith(tokens.access_token)).to.equal(401);
      expect(await statusWith(second.tokens.access_token)).to.equal(401);
    });
  });

  describe('subscription add', () => {
    it('shows the reference without the provider id, and refuses a provider id that exists', async () => {
      const { user, secret } = await service.addKey();
      const add = `subscription add --email ${user.email} --provider-id prov_123 --status trialing`;
      const added = await cli.json(add);
      expect(JSON.stringify(added)).to.not.include('prov_123');
      const { body } = await service.call('GET', '/subscriptions', { key: secret });
      expect(body).to.deep.equal({ subscriptions: [added], summary: { total: 1 } });
      expect(added).to.include({ status: 'trialing', name: null, price: null, renews_at: null });
      expect(await cli.refusal(add)).to.equal('a subscription with this --provider-id exists already');
    });

    it('takes what people read: a name, a price and the next renewal', async () => {
      const { email } = await service.addUser();
      const add = ['subscription', 'add', '--email', email, '--provider-id', 'prov_124'];
      const told = ['--name', 'Survival 8 GB', '--price', '€12.00 a month', '--renews-at', '2026-12-01'];
      expect(await cli.json([...add, ...told])).to.include({
        ...{ name: 'Survival 8 GB', price: '€12.00 a month', renews_at: '2026-12-01T00:00:00.000Z' },
      });
    });
  });

  describe('ticket', () => {
    it('list, show and answer: let an administrator handle a conversation to its end', async () => {
      const user = await service.addUser({ nickname: 'da\u001b[31mna' });
      const { secret: key } = await service.addKey({ user });
      const staff = await service.addUser({ isAdmin: true, nickname: 'Robin' });
      const body = { title: 'Lag', message: 'Since noon.\nEvery day.' };
      const { id } = (await service.call('POST', '/tickets', { key, body })).body.ticket;
      const list = `ticket list --awaiting staff --email ${user.email}`;
      expect((await cli.json(list)).map((ticket: { id: number }) => ticket.id)).to.deep.equal([id]);
      expect(await cli.text(list)).to.match(new RegExp(`^ID .+SUBJECT\n${id} +New +customer +1 .+ Lag\n$`));
      const answer = `ticket answer ${id} --as ${staff.email} --message Better?`;
      expect(await cli.json(answer)).to.deep.equal({ ticket_id: id, status: 'Active' });
      expect(await cli.text(list)).to.equal('No tickets.\n');
      expect(await cli.text(`${answer} --close`)).to.equal(`Ticket ${id} is answered and is now Closed.\n`);
      const { ticket, messages } = await cli.json(`ticket show ${id}`);
      expect(ticket).to.include({ id, status: 'Closed', message_count: 3 });
      expect(messages.map(({ name }: { name: string }) => name)).to.deep.equal([
        'da\u001b[31mna',
        'Robin',
        'Robin',
      ]);
      const shown = await cli.text(`ticket show ${id}`);
      expect(shown).to.include('1. da?[31mna (customer)');
      expect(shown).to.include('  Since noon.\n  Every day.\n\n2. Robin (staff)');
      expect(
        await cli.refusals([
          answer,
          `ticket answer ${id} --as ${user.email} --message x`,
          'ticket show 999999',
        ]),
      ).to.deep.equal([
        'The ticket is closed or archived and takes no replies',
        `${user.email} is neither an administrator nor support`,
        'Ticket not found',
      ]);
    });

    it('close and archive: end replies, and an archived ticket stays archived', async () => {
      const { secret: key } = await service.addKey();
      const opened = await service.call('POST', '/tickets', {
        key,
        body: { title: 'Lag', message: 'Since noon.' },
      });
      const { id } = opened.body.ticket;
      const reply = async () =>
        (await service.call('POST', `/tickets/${id}/reply`, { key, body: { message: 'Hello?' } })).status;
      expect(await reply()).to.equal(201);

      const closed = await cli.json(`ticket close ${id}`);
      expect(closed).to.include({ id, subject: 'Lag', status: 'Closed' });
      expect(await reply()).to.equal(400);
      expect(await cli.json(`ticket close ${id}`)).to.deep.equal(closed);

      expect(await cli.text(`ticket archive ${id}`)).to.equal(`Ticket ${id} is now Archived.\n`);
      expect(await reply()).to.equal(400);
      expect(await cli.refusals([`ticket close ${id}`, 'ticket archive 999'])).to.deep.equal([
        `ticket ${id} is Archived and cannot be changed`,
        'there is no ticket 999',
      ]);
      const { body } = await service.call('GET', '/tickets', { key });
      expect(body.tickets[0].status).to.equal('Archived');
    });
  });

  describe('audit list', () => {
    it('lists the newest calls first, of one user or of all', async () => {
      const { user, key, secret } = await service.addKey();
      await service.call('GET', '/me', { key: secret, headers: { 'X-Request-Id': 'first' } });
      await service.call('GET', '/catalog/games/none', {
        key: secret,
        headers: { 'X-Request-Id': 'second' },
      });
      await service.flushAudit();
      const [newest, ...older] = await cli.json(`audit list --email ${user.email}`);
      const { at, ...entry } = newest;
      expect(new Date(at).toISOString()).to.equal(at);
      expect(entry).to.deep.equal({
        ...{ user_id: user._id, key_id: key._id, via: 'rest', operation: 'catalog.getGame', target: 'none' },
        ...{ detail: null, owner_id: null, grant_id: null, client_id: null },
        ...{ status: 404, code: 'not_found', address: '127.0.0.1', request_id: 'second' },
      });
      expect(older.map((call: { request_id: string }) => call.request_id)).to.deep.equal(['first']);
      expect(await cli.text('audit list --limit 1')).to.match(
        /^AT .+ADDRESS\n20.+ catalog\.getGame +none +- +- +404 +not_found +127\.0\.0\.1\n$/,
      );
    });

    it('shows whose ticket a staff member changed', async () => {
      const { user, secret: key } = await service.addKey();
      const staff = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
      const body = { title: 'Lag', message: 'Since noon.' };
      const { id } = (await service.call('POST', '/tickets', { key, body })).body.ticket;
      const change = { key: staff.secret, body: { status: 'Closed' } };
      await service.call('POST', `/admin/tickets/${id}/status`, change);
      const list = `audit list --email ${staff.user.email}`;
      const [entry] = await cli.json(list);
      expect(entry).to.include({ target: String(id), owner_id: user._id });
      expect(await cli.text(list)).to.match(/ TARGET +DETAIL +OWNER ID +STATUS /);
    });
  });
});
