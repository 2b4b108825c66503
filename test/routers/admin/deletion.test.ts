/** A deleted user loses access at once and for good; their tickets and the audit stay. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { signInAccount } from '../../support/account.ts';
import { expectError } from '../../support/expect-error.ts';
import { useAdmin } from '../../support/use-key.ts';
import { waitForFanOut } from '../../support/webhook-calls.ts';
import { startSending } from '../../support/webhook-service.ts';

describe('DELETE /admin/users/{external_id}', () => {
  const service = useAdmin();
  let user: UserRecord;

  beforeEach(async () => {
    await service.connection.collection('users').deleteMany({ externalId: 'dana' });
    user = await service.addUser({ email: 'dana@example.com', externalId: 'dana', nickname: 'dana' });
  });

  const now = () => new Date(service.clock.now());
  const remove = () => service.call('DELETE', '/admin/users/dana', { key: service.key });

  it("ends the user's keys, sessions and connected apps at once (200)", async () => {
    const { secret } = await service.addKey({ user });
    const account = await signInAccount(service.url, user);
    const app = { clientId: 'app', name: 'App', verifiedHost: null };
    const newGrant = { userId: user._id, app, scopes: ['read:account'], refusedScopes: [] };
    const { oauthGrants, transaction } = service.models;
    const grant = await transaction((session) => oauthGrants.add(newGrant, now(), session));
    const { status, body } = await remove();
    expect([status, body]).to.deep.equal([200, { deleted: true }]);
    expectError(await service.call('GET', '/me', { key: secret }), 'unauthorized', 'API key revoked');
    expect((await account.api.session.current.query()).user).to.equal(null);
    expect(await service.models.oauthGrants.find(grant?._id ?? '', now())).to.equal(null);
  });

  it("leaves only the user's tickets, revoked keys and audit entries", async () => {
    const { secret } = await service.addKey({ user });
    await service.call('POST', '/tickets', { key: secret, body: { title: 'Lag', message: 'It lags.' } });
    await signInAccount(service.url, user);
    await service.models.signInLinks.create(user._id, now());
    const identity = { issuer: 'https://id.example', subject: 'dana', userId: user._id };
    await service.models.identities.link(identity, now());
    await service.models.subscriptions.add({ userId: user._id, providerId: 's1', status: 'active' }, now());
    const sending = startSending(service);
    await remove();
    await service.flushAudit();
    await waitForFanOut(service);
    await sending.stop();
    const kept: string[] = [];
    for (const { collection } of Object.values(service.connection.models)) {
      const { collectionName } = collection;
      const theirs = { $or: [{ userId: user._id }, { email: user.email }] };
      const stored = service.connection.collection(collectionName);
      if ((await stored.countDocuments(theirs)) > 0) kept.push(collectionName);
    }
    expect(kept.sort()).to.deep.equal(['activity_counts', 'api_keys', 'audit_entries', 'tickets']);
  });

  it('leaves no webhook created during the deletion, and answers its creation 401 unauthorized', async () => {
    const statuses = new Set<number>();
    for (let times = 0; times < 20; times += 1) {
      const externalId = `racer-${times}`;
      const racer = await service.addUser({ externalId });
      const { secret: key } = await service.addKey({ user: racer });
      const body = { url: 'https://203.0.114.9/hook', events: ['ticket.created'] };
      const create = async () => (await service.call('POST', '/webhooks', { key, body })).status;
      const creations = Array.from({ length: 4 }, create);
      const removal = service.call('DELETE', `/admin/users/${externalId}`, { key: service.key });
      for (const status of await Promise.all(creations)) statuses.add(status);
      expect((await removal).status).to.equal(200);
      const made = service.connection.collection('webhooks').countDocuments({ userId: racer._id });
      expect(await made).to.equal(0);
    }
    expect([...statuses].filter((status) => status !== 201 && status !== 401)).to.deep.equal([]);
  });

  it('keeps the tickets for the staff and shows their owner as deleted', async () => {
    const { secret } = await service.addKey({ user });
    const opened = { title: 'Lag', message: 'It lags.' };
    const { id } = (await service.call('POST', '/tickets', { key: secret, body: opened })).body.ticket;
    await remove();
    const { body } = await service.call('GET', `/admin/tickets/${id}`, { key: service.key });
    expect(body.ticket.user).to.deep.equal({ id: user._id, email: 'deleted user', nickname: null });
    expect(body.messages[0]).to.include({ name: 'deleted user', message: 'It lags.' });
  });

  it('frees the external id and the e-mail address for another user', async () => {
    await remove();
    expectError(await remove(), 'not_found', 'User not found');
    const put = { key: service.key, body: { email: 'dana@example.com' } };
    const { status, body } = await service.call('PUT', '/admin/users/dana', put);
    expect([status, body.user.id === user._id]).to.deep.equal([201, false]);
  });

  it('makes a key useless that was being created during the deletion', async () => {
    await remove();
    const newKey = { userId: user._id, name: 'late', scopes: ['read:account'], expiresAt: null };
    const issued = await service.models.transaction((session) =>
      service.models.apiKeys.add(newKey, now(), session),
    );
    expect((await service.call('GET', '/me', { key: issued?.secret ?? '' })).status).to.equal(401);
  });
});
