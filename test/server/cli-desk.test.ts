/** Subscriptions, tickets and the audit from the command line, seen in what the API then answers. */
import { expect } from 'chai';
import { createCli } from '../support/cli.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('npm run cli: the desk', function () {
  this.timeout(30_000);
  let service: TestService;
  let cli: ReturnType<typeof createCli>;

  before(async () => {
    service = await startTestService();
    cli = createCli({ MONGODB_URI: service.databaseUri });
  });
  after(() => service.stop());

  describe('subscription add', () => {
    it('shows as a reference that tells nothing of the provider, and knows a provider id once only', async () => {
      const { user, secret } = await service.addKey();
      const add = `subscription add --email ${user.email} --provider-id prov_123 --status trialing`;
      const added = await cli.json(add);
      expect(JSON.stringify(added)).to.not.include('prov_123');
      const { body } = await service.call('GET', '/subscriptions', { key: secret });
      expect(body).to.deep.equal({ subscriptions: [added], summary: { total: 1 } });
      expect(added.status).to.equal('trialing');
      expect(await cli.refusal(add)).to.equal('a subscription with this --provider-id is recorded already');
    });
  });

  describe('ticket', () => {
    it('close and archive: a ticket takes no more replies, and one that is archived stays so', async () => {
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
        `ticket ${id} is Archived and stays so`,
        'there is no ticket 999',
      ]);
      const { body } = await service.call('GET', '/tickets', { key });
      expect(body.tickets[0].status).to.equal('Archived');
    });
  });

  describe('audit list', () => {
    it('shows the newest calls first, of all or of one user', async () => {
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
        ...{ status: 404, code: 'not_found', address: '127.0.0.1', request_id: 'second' },
      });
      expect(older.map((call: { request_id: string }) => call.request_id)).to.deep.equal(['first']);
      expect(await cli.text('audit list --limit 1')).to.match(
        /^AT .+ADDRESS\n20.+ catalog\.getGame +none +404 +not_found +127\.0\.0\.1\n$/,
      );
    });
  });
});
