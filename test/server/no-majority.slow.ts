/** Reads work while no write reaches a majority of MongoDB's members, because they need none. */
import { expect } from 'chai';
import { ActivityCounts } from '../../models/activity-count.ts';
import { AuditEntries, type AuditEntryRecord } from '../../models/audit-entry.ts';
import { AuditTrail } from '../../server/audit/audit.ts';
import { callTimeoutMs, connectMongoose } from '../../server/database.ts';
import { createLog } from '../../server/observability/log.ts';
import { TestReplicaSet } from '../support/replica-set.ts';
import { startTestService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

describe('a service whose MongoDB has no majority for writes', () => {
  const set = useStarted(() => TestReplicaSet.start());
  const service = useStarted(() =>
    startTestService({ databaseUri: `${set.uri}&socketTimeoutMS=${callTimeoutMs}` }),
  );

  it("answers a key's first read with 200, and its first after a minute", async () => {
    const { secret: key } = await service.addKey();
    const release = await set.lockSecondaries();
    try {
      expect((await service.call('GET', '/me', { key })).status).to.equal(200);
      service.clock.advance(61_000);
      expect((await service.call('GET', '/me', { key })).status).to.equal(200);
    } finally {
      await release();
    }
  });

  it('answers 503 within 25 s to writes, with and without a transaction', async function within() {
    this.timeout(60_000);
    const { secret: key } = await service.addKey();
    const body = { title: 'Lag', message: 'Since noon.' };
    const { id } = (await service.call('POST', '/tickets', { key, body })).body.ticket;
    const hook = { url: 'https://example.com/hook', events: ['*'] };
    const release = await set.lockSecondaries();
    try {
      const startedAt = performance.now();
      const answers = await Promise.all([
        service.call('POST', '/tickets', { key, body }),
        service.call('POST', `/tickets/${id}/close`, { key }),
        service.call('POST', '/webhooks', { key, body: hook }),
      ]);
      const took = performance.now() - startedAt;
      expect(answers.map(({ status }) => status)).to.deep.equal([503, 503, 503]);
      expect(took).to.be.below(25_000);
    } finally {
      await release();
    }
  });

  it('audits each read once, however often it tried to store the entry', async () => {
    const connection = await connectMongoose(set.uri, { callTimeoutMs: 1000 });
    const entries = new AuditEntries(connection);
    const stores = { auditEntries: entries, activityCounts: new ActivityCounts(connection) };
    const trail = new AuditTrail(stores, createLog('silent'));
    await trail.storeNow([entryOf('before')]);
    const release = await set.lockSecondaries();
    try {
      trail.add(['one', 'other'].map(entryOf));
      for (let tries = 0; tries < 2; tries += 1) await trail.flush();
    } finally {
      await release();
    }
    await trail.flush();
    const stored = await entries.list({ userId: auditedUserId, limit: 10 });
    expect(stored.map(({ requestId }) => requestId)).to.have.members(['before', 'one', 'other']);
    await trail.close();
    await connection.close();
  });
});

const auditedUserId = 4711;

const entryOf = (requestId: string): AuditEntryRecord => ({
  ...{ at: new Date(), userId: auditedUserId, keyId: 'key', operation: 'account.me', target: null },
  ...{ status: 200, code: null, address: '127.0.0.1', requestId, via: 'rest' },
});
