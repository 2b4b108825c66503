/** The administrator procedures on the account page: those of the API, in a session, and refused without the role. */
import { expect } from 'chai';
import { readSessionOperations, type SessionOperation } from '../../../bridge/operations.ts';
import { accountPageRouter } from '../../../routers/account/index.ts';
import { type Account, openAccount, signInAccount } from '../../support/account.ts';
import { describeRefusal } from '../../support/desk.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { sampleInputOf } from '../../support/sample-inputs.ts';
import { useService } from '../../support/service.ts';
import { webhookSettings } from '../../support/webhook-service.ts';

const rows = readSessionOperations(accountPageRouter).filter(
  ({ adminScope }) => adminScope && adminScope !== 'admin:tickets',
);
const hook = { url: 'http://127.0.0.1:9/hook', events: ['*' as const] };

describe('the administrator procedures on the account page', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000, config: { webhooks: webhookSettings } });

  const enter = async (role: { isAdmin?: boolean; isSupport?: boolean } = {}) => {
    const user = await service.addUser(role);
    return { user, account: await signInAccount(service.url, user) };
  };

  const ask = (account: Account, row: SessionOperation, input = sampleInputOf(row)) =>
    row.type === 'mutation'
      ? account.call(row.name, input)
      : account.call(`${row.name}?input=${encodeURIComponent(JSON.stringify(input))}`);

  const refusal = async (account: Account, row: SessionOperation) => {
    const { status, body } = await ask(account, row);
    return [status, body.error?.data.code, body.error?.message];
  };

  it("cover users, the catalog, announcements and the host's webhooks", () => {
    const names = new Set(rows.map(({ adminScope }) => adminScope));
    expect([...names]).to.have.members([
      ...['admin:users', 'admin:catalog', 'admin:announcements', 'admin:webhooks'],
    ]);
    expect(rows.map(({ name }) => name)).to.include.members(['admin.putUser', 'webhooks.host.create']);
  });

  it('403 insufficient_scope: refuse customers and support before they read the input', async () => {
    for (const role of [{}, { isSupport: true }]) {
      const { account } = await enter(role);
      for (const row of rows) {
        const expected = [403, 'insufficient_scope', 'Only administrators may do this'];
        expect(await refusal(account, row), row.name).to.deep.equal(expected);
        expect((await ask(account, row, { surprise: 1 })).status, row.name).to.equal(403);
      }
    }
  });

  it('403: refuse an administrator who came by a link and a former administrator', async () => {
    const { user, account } = await enter({ isAdmin: true });
    const { token } = await service.models.signInLinks.create(user._id, new Date(service.clock.now()));
    const byLink = openAccount(service.url);
    await byLink.api.session.signInByLink.mutate({ token });
    expect(await describeRefusal(byLink.api.admin.listUsers.query({}))).to.equal(
      '403 Sign in with your password to do this, not by a link',
    );
    expect(await describeRefusal(account.api.admin.listUsers.query({}))).to.equal('none');
    await service.models.users.change(user.email, { isAdmin: false });
    expect(await describeRefusal(account.api.admin.listUsers.query({}))).to.equal(
      '403 Only administrators may do this',
    );
  });

  it('answer the same as the API, and the audit names who did what to which object', async () => {
    const { user, account } = await enter({ isAdmin: true });
    const { secret: key } = await service.addKey({ user });
    const { admin } = account.api;
    const customer = await service.addUser({ panelUserId: 7 });
    service.panel.servers.set(7, [panelServer()]);
    const external_id = `~${customer._id}`;
    const ofApi = async (path: string) => (await service.call('GET', path, { key })).body;
    expect(await admin.getUser.query({ external_id })).to.deep.equal(
      await ofApi(`/admin/users/${external_id}`),
    );
    expect(await admin.listUserServers.query({ external_id })).to.deep.equal(
      await ofApi(`/admin/users/${external_id}/servers`),
    );
    const { user: suspended } = await admin.putUser.mutate({ external_id, active: false });
    expect(suspended.active).to.equal(false);
    await admin.putGame.mutate({ slug: 'minecraft', title: 'Minecraft', active: false });
    expect(await admin.listGames.query()).to.deep.equal(await ofApi('/admin/games'));
    const { announcement } = await admin.createAnnouncement.mutate({ title: 'Hello', message: 'World' });
    const announcement_id = announcement.id;
    await admin.changeAnnouncement.mutate({ announcement_id, status: 'published' });
    const entries = await service.models.auditEntries.list({ userId: user._id, limit: 100 });
    const acted = entries.filter(({ via }) => via === 'account');
    expect(acted.map(({ operation, target, keyId }) => [operation, target, keyId])).to.deep.equal([
      ['admin.changeAnnouncement', String(announcement_id), ''],
      ['admin.createAnnouncement', String(announcement_id), ''],
      ['admin.putGame', 'minecraft', ''],
      ['admin.putUser', external_id, ''],
      ['session.signIn', String(user._id), ''],
    ]);
  });

  it('show what belongs to a user, and no secret: role, last sign-in, keys, tickets, apps and subscriptions', async () => {
    const { user: ada, account } = await enter({ isAdmin: true });
    const { admin } = account.api;
    const { user: robin } = await enter({ isSupport: true });
    const { _id: user_id, email } = await service.addUser();
    const details = () => admin.getUserDetails.query({ user_id });
    const empty = { keys: [], apps: [], tickets: [], subscriptions: [] };
    expect(await details()).to.deep.equal({ active: true, support: false, last_sign_in_at: null, ...empty });
    const before = service.clock.now();
    const { api } = await signInAccount(service.url, { email });
    const { secret } = await service.addKey({ user: { ...robin, _id: user_id } });
    for (let count = 1; count <= 11; count += 1)
      await api.tickets.create.mutate({ title: `Ticket ${count}`, message: 'Help.' });
    const { oauthGrants, subscriptions, transaction } = service.models;
    const app = { clientId: 'client', name: 'Panel bot', verifiedHost: null };
    const grant = { userId: user_id, app, scopes: ['read:account'], refusedScopes: [] };
    const now = new Date(service.clock.now());
    await transaction((session) => oauthGrants.add(grant, now, session));
    await subscriptions.add({ userId: user_id, providerId: 'sub_provider', status: 'active' }, now);
    const shown = await details();
    expect(Date.parse(shown.last_sign_in_at ?? '')).to.be.within(before, now.getTime());
    expect(shown.keys.map(({ name }) => name)).to.deep.equal(['test']);
    expect(shown.apps.map(({ name }) => name)).to.deep.equal(['Panel bot']);
    expect(shown.tickets.map(({ subject }) => subject).slice(0, 1)).to.deep.equal(['Ticket 11']);
    expect(shown.tickets).to.have.lengthOf(10);
    expect(shown.subscriptions.map(({ status }) => status)).to.deep.equal(['active']);
    expect(JSON.stringify(shown)).to.not.include(secret).and.not.include('sub_provider');
    const listed = (await admin.listUsers.query({ email: robin.email })).users;
    expect(listed.map(({ support, admin }) => ({ support, admin }))).to.deep.equal([
      { support: true, admin: false },
    ]);
    expect(await describeRefusal(admin.getUserDetails.query({ user_id: 999_999 }))).to.equal(
      '404 User not found',
    );
    await service.flushAudit();
    const entries = await service.models.auditEntries.list({ userId: ada._id, limit: 100 });
    const seen = entries.filter(({ operation }) => operation === 'admin.getUserDetails');
    expect(seen.map(({ target }) => target)).to.deep.equal(['999999', String(user_id), String(user_id)]);
  });

  it('create one host webhook for a repeated write, and list it only for its creator', async () => {
    const { account } = await enter({ isAdmin: true });
    const headers = { 'Idempotency-Key': 'press' };
    const [first, second] = [
      await account.call('webhooks.host.create', hook, headers),
      await account.call('webhooks.host.create', hook, headers),
    ];
    expect(second.body).to.deep.equal(first.body);
    const { webhook } = first.body.result.data;
    const { webhooks, webhooks_max } = await account.api.webhooks.host.list.query();
    expect(webhooks.map(({ id, made_by }) => [id, made_by])).to.deep.equal([[webhook.id, null]]);
    expect(webhooks_max).to.equal(20);
    expect((await account.api.webhooks.list.query()).webhooks).to.deep.equal([]);
    const webhook_id = webhook.id;
    const { webhook: off } = await account.api.webhooks.host.change.mutate({ webhook_id, active: false });
    expect(off.active).to.equal(false);
    const other = await enter({ isAdmin: true });
    expect(await describeRefusal(other.account.api.webhooks.host.delete.mutate({ webhook_id }))).to.equal(
      '404 Webhook not found',
    );
    await account.api.webhooks.host.delete.mutate({ webhook_id });
    expect((await account.api.webhooks.host.list.query()).webhooks).to.deep.equal([]);
  });
});
