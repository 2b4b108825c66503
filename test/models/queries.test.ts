/** Every query of the service, as MongoDB itself saw it: none scans a collection, and what is acknowledged is safe. */
import { expect } from 'chai';
import type { Claim } from '../../models/idempotency-record.ts';
import { createModels } from '../../models/index.ts';
import type { UserRecord } from '../../models/user.ts';
import { connectMongoose } from '../../server/database.ts';
import { openAccount, signedIn } from '../support/account.ts';
import { watchUncalled } from '../support/called.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { describeCall, type ProfiledCall, profile } from '../support/profiler.ts';
import { addSampled, keyedRows, sampleOf } from '../support/samples.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { addStrangers } from '../support/strangers.ts';

describe('queries', function () {
  this.timeout(60_000);
  let service: TestService;
  let calls: ProfiledCall[];
  let uncalled: Set<string>;

  before(async () => {
    service = await startTestService();
    await addStrangers(service.connection);
    uncalled = watchUncalled(service.models);
    calls = await profile(service.connection, async () => {
      const { user, key } = await addSampled(service);
      await callEveryEndpoint(key);
      await writeAgain(key);
      await quarrelOverTickets(key);
      await useTheAccountPage();
      await doAsOperatorsDo(user);
      await service.flushAudit();
    });
  });
  after(() => service.stop());

  /** Each twice: the second call of a write is answered from what was kept. */
  async function callEveryEndpoint(key: string) {
    for (const row of keyedRows)
      for (let times = 0; times < 2; times += 1) {
        const { method, path, body } = sampleOf(row);
        const headers = { ...(method === 'POST' && { 'Idempotency-Key': row.name }) };
        const { status, text } = await service.call(method, path, { key, body, headers });
        expect(status, `${row.name} ${text}`).to.equal(row.status);
      }
  }

  /** Of two replies at once one meets a closed ticket; another is refused under an idempotency key. */
  async function quarrelOverTickets(key: string) {
    const body = { title: 'Lag', message: 'Since noon.' };
    const { id } = (await service.call('POST', '/tickets', { key, body })).body.ticket;
    await service.models.tickets.setStatus(id, 'Closed', new Date());
    await service.models.tickets.setStatus(id, 'Closed', new Date());
    const reply = (ticket: number, headers = {}) =>
      service.call('POST', `/tickets/${ticket}/reply`, { key, body: { message: 'Still.' }, headers });
    const answers = await Promise.all([
      reply(1),
      reply(id),
      reply(1),
      reply(id, { 'Idempotency-Key': 'refused' }),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 400, 201, 400]);
  }

  /** As after failures of which nobody knows how far they came. */
  async function writeAgain(key: string) {
    const records = service.connection.collection<Claim & { answer: string | null }>('idempotency_records');
    const all = { _id: { $gt: '' } };
    await records.updateMany(all, { $set: { answer: null } });
    for (const claim of await records.find(all).toArray())
      await service.models.idempotencyRecords.passOn(claim);
    await callEveryEndpoint(key);
  }

  async function useTheAccountPage() {
    const owner = await service.addUser();
    const { api } = await signedIn(service.url, owner);
    const request = { name: 'Deploy', scopes: ['read:account' as const], expires_at: null };
    const { key } = await api.keys.create.mutate(request);
    await api.keys.rotate.mutate({ id: key.id, overlap_hours: 1 });
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

  async function doAsOperatorsDo({ _id, email }: UserRecord) {
    const { apiKeys, auditEntries, games, subscriptions, users } = service.models;
    await users.list();
    await users.change(email, { panelUserId: 8 });
    const { key } = await apiKeys.issue(
      { userId: _id, name: 'test', scopes: [], expiresAt: null },
      new Date(),
    );
    await apiKeys.list(_id);
    await apiKeys.revoke(key._id, new Date());
    await subscriptions.add({ userId: _id, providerId: 'provider', status: 'active' }, new Date());
    await games.findActive('sample');
    await auditEntries.list({ limit: 100 });
    await auditEntries.list({ userId: _id, limit: 100 });
  }

  it('are all made in this test: no method of a store is left out', () => {
    expect([...uncalled]).to.deep.equal([]);
  });

  it('never scan a collection', () => {
    const planned = calls.filter(({ planSummary }) => planSummary);
    expect(planned.length).to.be.above(50);
    expect(
      planned.filter(({ planSummary }) => planSummary?.includes('COLLSCAN')).map(describeCall),
    ).to.deep.equal([]);
  });

  it('look at no more than they find, however much others have', () => {
    const foundBy = ({ nreturned = 0, nModified = 0, ndeleted = 0 }: ProfiledCall) =>
      Math.max(nreturned, nModified, ndeleted);
    const greedy = calls.filter((call) => (call.docsExamined ?? 0) > 20 + foundBy(call));
    expect(greedy.map(describeCall)).to.deep.equal([]);
  });

  it('are answered by the primary, and writes by the majority; but a counter, which its insert follows', () => {
    const modes = calls.map(({ command }) => command.$readPreference?.mode ?? 'primary');
    expect(new Set(modes)).to.deep.equal(new Set(['primary']));
    const written = calls.filter(({ writeConcern, ns }) => writeConcern && !ns.endsWith('.sequences'));
    expect(new Set(written.map(({ writeConcern }) => writeConcern?.w))).to.deep.equal(new Set(['majority']));
  });

  it('are so whatever the URI asks for', async () => {
    const weak = 'w=1&journal=false&readPreference=secondaryPreferred';
    const connection = await connectMongoose(withOptions(weak));
    const [insert, find] = await profile(connection, async () => {
      await connection.collection('notes').insertOne({});
      await connection.collection('notes').findOne();
    });
    expect(insert?.writeConcern).to.include({ w: 'majority', j: true });
    expect(find?.command.$readPreference).to.equal(undefined);
    await connection.dropDatabase();
    await connection.close();
  });

  it('read no less safely than the URI asks for', async () => {
    const connection = await connectMongoose(withOptions('readConcernLevel=majority'));
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

/** A database of its own, with options that an operator might set. */
function withOptions(options: string): string {
  const uri = testDatabaseUri();
  return `${uri}${uri.includes('?') ? '&' : '?'}${options}`;
}
