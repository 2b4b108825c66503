/** MongoDB's profiler checks every query of the service: none scans a collection, and acknowledged writes are durable. */
import { expect } from 'chai';
import type { Claim } from '../../models/idempotency-record.ts';
import { createModels } from '../../models/index.ts';
import type { UserRecord } from '../../models/user.ts';
import { connectMongoose } from '../../server/database.ts';
import { openAccount, signInAccount } from '../support/account.ts';
import { databaseUriWith } from '../support/mongo.ts';
import { addNoiseData } from '../support/noise-data.ts';
import { begin, connectApp, refresh } from '../support/oauth-app.ts';
import { describeCall, type ProfiledCall, profile } from '../support/profiler.ts';
import { addSamples, keyedOperations, sampleOf } from '../support/samples.ts';
import { storeAuthenticatorApp } from '../support/second-factor.ts';
import { useService } from '../support/service.ts';
import { callDeskStores, callWebhookStores } from '../support/store-calls.ts';
import { watchUncalled } from '../support/uncalled-methods.ts';

describe('MongoDB queries', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000, hasApps: true });
  let calls: ProfiledCall[];
  let uncalled: Set<string>;

  before(async () => {
    await addNoiseData(service.connection);
    uncalled = watchUncalled(service.models);
    calls = await profile(service.connection, async () => {
      const { user, key, restore } = await addSamples(service);
      await callEveryEndpoint(key, restore);
      for (const query of ['sort=waiting', 'search=lag%20noon', 'search=12', 'search=user1@'])
        await service.call('GET', `/admin/tickets?${query}`, { key });
      await repeatWrites(key, restore);
      await replyConcurrently(key);
      await useAccountPage();
      await useOperatorMethods(user);
      await provision();
      await useApps(user);
      await callWebhookStores(service.models, user._id);
      await service.flushAudit();
    });
  });

  /** Calls each operation twice: the second call of a write replays the stored answer. */
  async function callEveryEndpoint(key: string, restore: () => Promise<void>) {
    for (const row of keyedOperations) {
      await restore();
      for (let times = 0; times < 2; times += 1) {
        const { method, path, body } = sampleOf(row);
        const headers = { ...(row.type === 'mutation' && { 'Idempotency-Key': row.name }) };
        const { status, text } = await service.call(method, path, { key, body, headers });
        expect(status, `${row.name} ${text}`).to.equal(row.status);
      }
    }
  }

  async function replyConcurrently(key: string) {
    // A reply without a recipient for its event uses no transaction.
    await service.models.notices.applySettings([], new Date());
    const body = { title: 'Lag', message: 'Since noon.' };
    const { id } = (await service.call('POST', '/tickets', { key, body })).body.ticket;
    await service.models.tickets.setStatus({ id, status: 'Closed' }, new Date());
    await service.models.tickets.setStatus({ id, status: 'Closed' }, new Date());
    const reply = (ticket: number, headers = {}) =>
      service.call('POST', `/tickets/${ticket}/reply`, { key, body: { message: 'Still.' }, headers });
    const replies = [reply(1), reply(id), reply(1), reply(id, { 'Idempotency-Key': 'refused' })];
    const answers = await Promise.all(replies);
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 400, 201, 400]);
  }

  async function repeatWrites(key: string, restore: () => Promise<void>) {
    const records = service.connection.collection<Claim & { answer: string | null }>('idempotency_records');
    const all = { _id: { $gt: '' } };
    await records.updateMany(all, { $set: { answer: null }, $unset: { made: 1 } });
    for (const claim of await records.find(all).toArray())
      await service.models.idempotencyRecords.expireLease(claim);
    await callEveryEndpoint(key, restore);
  }

  async function useAccountPage() {
    const owner = await service.addUser();
    const { api } = await signInAccount(service.url, owner);
    const request = { name: 'Deploy', scopes: ['read:account' as const], expires_at: null };
    const { key } = await api.keys.create.mutate(request);
    await api.keys.rotate.mutate({ id: key.id, overlap_hours: 1 });
    await api.keys.rename.mutate({ id: key.id, name: 'Release' });
    await api.keys.revoke.mutate({ id: key.id });
    await api.keys.list.query();
    await api.session.changePassword.mutate({
      current_password: 'correct horse',
      new_password: 'a longer horse',
    });
    service.clock.advance(61_000);
    await api.session.current.query();
    await api.session.signOut.mutate({});
    await openAccount(service.url).call('session.signIn', { email: 'nobody@example.com', password: 'wrong' });
  }

  async function useApps({ email }: UserRecord) {
    const { account, clientId, tokens } = await connectApp(service, { email });
    await service.call('GET', '/me', { key: tokens.access_token });
    await refresh(service, clientId, tokens.refresh_token);
    const { id } = await begin(service, { clientId });
    await account.api.apps.deny.mutate({ request_id: id });
    const { apps } = await account.api.apps.list.query();
    await account.api.apps.revoke.mutate({ id: apps[0]?.id ?? '' });
    const { oauthClients, oauthGrants, oauthRequests, oauthTokens, transaction } = service.models;
    await oauthGrants.listAll(10, new Date());
    await oauthGrants.listOfClient(clientId);
    const scopes = ['read:account'];
    await transaction((session) =>
      oauthGrants.setScopes({ id: 'none', userId: 1, scopes }, new Date(), session),
    );
    await oauthTokens.delete('none');
    await oauthTokens.deleteOfGrant('none');
    await transaction((session) => oauthTokens.endLeaked([tokens.refresh_token], session));
    await service.models.credentials.endGrants(['none'], 'disconnected');
    await transaction((session) => oauthGrants.endMany(['none'], session));
    await oauthRequests.delete(id);
    await oauthClients.delete(clientId);
  }

  async function provision() {
    const { provisioning, transaction, userAccess, users } = service.models;
    const unnamed = { firstName: null, lastName: null, nickname: null };
    const customer = { ...unnamed, externalId: 'customer', email: 'customer@example.com', panelUserId: 10 };
    const now = new Date();
    await provisioning.import({ readBatches: () => batchOf(customer), isDryRun: false }, now);
    await provisioning.adoptPanelUsers([customer], { now, isDryRun: false });
    const subscription = batchOf({ providerId: 'imported', externalId: 'customer', status: 'active' });
    const source = { readBatches: () => subscription, isDryRun: false };
    await provisioning.importSubscriptions(source, now, async () => {});
    for (const isActive of [false, true]) await provisioning.put({ ...customer, isActive }, now);
    const user = await users.findByExternalId('customer');
    if (!user) throw new Error('the user was not provisioned');
    await users.linkPanelUser(user, 9);
    await users.findByPanelUser(9);
    for (const isActive of [false, true]) {
      await users.listPage({ isActive, after: 0, limit: 10 });
      await users.count({ isActive });
    }
    for (const isActive of [false, true]) await userAccess.setActive(user._id, isActive, now);
    await userAccess.unlinkIdentities(user._id);
    await useSecondFactors(user._id);
    await transaction((session) => userAccess.delete(user._id, now, session));
  }

  async function useSecondFactors(userId: number) {
    const { secondFactors, transaction, userAccess } = service.models;
    const at = new Date();
    const { id, codes } = await storeAuthenticatorApp(service, userId, 'Phone');
    await secondFactors.has();
    await secondFactors.find(userId);
    await secondFactors.findByFactor(id);
    await secondFactors.useProof(userId, { id, oneTimeValue: 1, at });
    const use = { code: codes?.[0] ?? '', at };
    await transaction((session) => secondFactors.useRecoveryCode(userId, use, session));
    await secondFactors.replaceRecoveryCodes(userId);
    await transaction((session) => secondFactors.rename(userId, { id, name: 'Old phone' }, session));
    await transaction((session) => secondFactors.remove(userId, { id, at }, session));
    await service.models.sessions.recordFactor('none', at);
    await userAccess.resetFactors(userId, at);
  }

  async function useOperatorMethods(user: UserRecord) {
    const { _id, email } = user;
    const { apiKeys, auditEntries, games, processLeases, subscriptions, tickets, userAccess } =
      service.models;
    await processLeases.create().takeOrRenew();
    await processLeases.count();
    await userAccess.change(email, { isSupport: true, password: 'correct horse' }, new Date());
    const request = { userId: _id, name: 'test', scopes: [], expiresAt: null };
    const { key, secret } = await apiKeys.issue(request, new Date());
    await service.models.transaction((session) => apiKeys.revokeLeaked([secret], new Date(), session));
    await apiKeys.revoke(key._id, new Date());
    await subscriptions.add({ userId: _id, providerId: 'provider', status: 'active' }, new Date());
    await games.findActive('sample');
    for (const userId of [_id, undefined])
      for (const status of [undefined, 'Active', 'Archived'] as const)
        for (const awaiting of [undefined, 'staff', 'customer'] as const)
          await tickets.searchDetails({ userId, status, awaiting, before: 2_000_000, limit: 10 });
    // The first search runs alone, the others in one batch.
    const owners = [_id, _id + 1, _id + 2];
    for (const awaiting of ['staff', 'customer'] as const)
      await Promise.all(owners.map((userId) => tickets.search({ userId, awaiting, limit: 10 })));
    await tickets.read({ id: 1, after: 0, limit: 10 });
    await Promise.all(owners.map((userId) => tickets.read({ id: 1, userId, after: 0, limit: 10 })));
    await tickets.pending.list(10);
    await tickets.pending.read([1]);
    await tickets.findOpened({ userId: _id, writeId: 'none' });
    await tickets.pending.clear([{ _id: 1, facts: [] }]);
    await tickets.close({ userId: _id, id: 1 }, new Date());
    await tickets.setStatus({ id: 1, status: 'Closed' }, new Date());
    await service.models.transaction((session) =>
      tickets.reopen({ userId: _id, id: 1 }, new Date(), session),
    );
    await tickets.reply({ userId: _id, ticketId: 1, keyId: '', text: 'sample', now: new Date() });
    await callDeskStores(service.models, _id);
    await useSessions(user);
    await auditEntries.list({ limit: 100 });
    await auditEntries.list({ userId: _id, limit: 100 });
    await useActivity(user);
  }

  async function useActivity({ _id: userId }: UserRecord) {
    const { activityCounts, auditEntries } = service.models;
    const [newest] = await auditEntries.listOwned({ userId, limit: 1 });
    const before = newest?._id.toHexString();
    for (const keyId of [undefined, newest?.keyId])
      await auditEntries.listOwned({ userId, keyId, before, limit: 10 });
    await activityCounts.store();
    await activityCounts.listDays({ userId, dayCount: 30 }, new Date());
    await activityCounts.listSources({ userId, dayCount: 30 }, { now: new Date(), limit: 10 });
  }

  async function useSessions(user: UserRecord) {
    const userId = user._id;
    const { identities, sessions, signInLinks, transaction, userAccess } = service.models;
    await identities.link({ issuer: 'https://id.example', subject: 'subject', userId }, new Date());
    await identities.findUserId('https://id.example', 'subject');
    const { token } = await signInLinks.create(userId, new Date());
    await signInLinks.use(token, new Date());
    await signInLinks.use(token, new Date());
    await sessions.list(user, new Date());
    await transaction((session) => sessions.endOwned(userId, 'none', session));
    await transaction((session) => sessions.endOthers(userId, 'none', session));
    await transaction((session) => userAccess.endMailProofs([userId], session));
  }

  it('are all covered, because this test calls every method of every store', () => {
    expect([...uncalled]).to.deep.equal([]);
  });

  it('never scan a collection', () => {
    const planned = calls.filter(({ planSummary }) => planSummary);
    expect(planned.length).to.be.above(50);
    expect(
      planned.filter(({ planSummary }) => planSummary?.includes('COLLSCAN')).map(describeCall),
    ).to.deep.equal([]);
  });

  it('examine no more documents than they return', () => {
    const foundBy = ({ nreturned = 0, nModified = 0, ndeleted = 0 }: ProfiledCall) =>
      Math.max(nreturned, nModified, ndeleted);
    // Counting reads each audit entry once, in addition to the calls.
    const isCount = ({ command }: ProfiledCall) => command.aggregate === 'audit_entries';
    const wasteful = calls.filter((call) => !isCount(call) && (call.docsExamined ?? 0) > 20 + foundBy(call));
    expect(wasteful.map(describeCall)).to.deep.equal([]);
  });

  it('read from the primary and write with majority, except for the id counter', () => {
    const modes = calls.map(({ command }) => command.$readPreference?.mode ?? 'primary');
    expect(new Set(modes)).to.deep.equal(new Set(['primary']));
    const written = calls.filter(({ writeConcern, ns }) => writeConcern && !ns.endsWith('.sequences'));
    expect(new Set(written.map(({ writeConcern }) => writeConcern?.w))).to.deep.equal(new Set(['majority']));
  });

  it('override weaker settings of the connection URI', async () => {
    const weak = 'w=1&journal=false&readPreference=secondaryPreferred';
    const connection = await connectMongoose(databaseUriWith(weak));
    const [insert, find] = await profile(connection, async () => {
      await connection.collection('notes').insertOne({});
      await connection.collection('notes').findOne();
    });
    expect(insert?.writeConcern).to.include({ w: 'majority', j: true });
    expect(find?.command.$readPreference).to.equal(undefined);
    await connection.dropDatabase();
    await connection.close();
  });

  it('keep a stronger read concern of the connection URI', async () => {
    const connection = await connectMongoose(databaseUriWith('readConcernLevel=majority'));
    const models = createModels(connection);
    const reads = await profile(connection, async () => {
      await models.users.find(1);
      await models.tickets.list(1);
    });
    await connection.dropDatabase();
    await connection.close();
    expect(reads.map(({ command }) => command.readConcern?.level)).to.deep.equal(['majority', 'majority']);
  });
});

async function* batchOf<Entry>(...entries: Entry[]) {
  yield entries;
}
