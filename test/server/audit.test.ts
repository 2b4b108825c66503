/** The audit records every call of a known key, and a write before its response is sent. */
import { expect } from 'chai';
import type { Operation } from '../../bridge/operations.ts';
import { generateSecret } from '../../models/api-key/secret.ts';
import type { AuditEntryRecord } from '../../models/audit-entry.ts';
import { sampleInputOf } from '../support/sample-inputs.ts';
import { addSamples, keyedOperations, sampleOf } from '../support/samples.ts';
import { type Answer, useService } from '../support/service.ts';

describe('the audit', () => {
  const service = useService();
  let key: string;
  let keyId: string;
  let userId: number;
  let restore: () => Promise<void>;
  /** The subject of the administrators' sample calls. */
  let namedUserId = 0;

  before(async () => {
    const { user, key: secret, ...sampled } = await addSamples(service);
    restore = sampled.restore;
    namedUserId = (await service.models.users.findByExternalId('sample'))?._id ?? 0;
    const known = await service.models.apiKeys.listLive(user._id, new Date());
    [key, keyId, userId] = [secret, known[0]?._id ?? '', user._id];
  });
  beforeEach(async () => {
    await service.flushAudit();
    await service.connection.collection('audit_entries').deleteMany({});
    service.clock.advance(60_000);
    await restore();
  });

  const entries = (): Promise<AuditEntryRecord[]> => service.models.auditEntries.list({ limit: 200 });

  for (const row of keyedOperations) {
    const { method, path, body } = sampleOf(row);
    const isWrite = row.type === 'mutation';

    it(`records one entry for ${method} ${row.path}, ${isWrite ? 'stored before the answer' : 'stored soon after it'}`, async () => {
      const headers = { 'X-Request-Id': `for-${row.name}` };
      const answer = await service.call(method, path, { key, body, headers });
      if (!isWrite) await service.flushAudit();
      const [entry, ...more] = await entries();
      expect(more).to.deep.equal([]);
      expect(entry).to.deep.equal({
        at: entry?.at,
        userId,
        keyId,
        operation: row.name,
        target: targetOf(row, answer),
        ...ownerIn(row.path),
        ...detailIn(row, entry?.detail),
        status: row.status,
        code: null,
        address: '127.0.0.1',
        requestId: `for-${row.name}`,
        via: 'rest',
      });
      expect(entry?.at.getTime()).to.be.closeTo(service.clock.now(), 5000);
    });
  }

  /** A server has many files, so the entry also names the file. The sentence on the account page needs the other details. */
  function detailIn({ name, tag }: (typeof keyedOperations)[number], recorded = '') {
    if (tag === 'Files') return { detail: recorded.startsWith('/') ? recorded : 'a path' };
    if (name === 'servers.power') return { detail: 'start' };
    if (name === 'servers.startup.change') return { detail: 'MINECRAFT_VERSION, image' };
    return name === 'servers.backups.create' ? { detail: 'sample' } : {};
  }

  /** The owner of the ticket or server that staff called about. */
  function ownerIn(path: string) {
    if (path.startsWith('/admin/tickets/{')) return { ownerId: userId };
    return path.startsWith('/admin/users/{external_id}/servers') ? { ownerId: namedUserId } : {};
  }

  const outcome = ({ operation, target, status, code }: AuditEntryRecord) => [
    operation,
    target,
    status,
    code,
  ];

  it('records refused calls with their error code and subject', async () => {
    const { user, secret } = await service.addKey({ scopes: ['read:catalog'] });
    await service.call('POST', '/tickets', { key, body: {} });
    await service.call('POST', '/tickets/999/reply', { key, body: { message: 'Hello' } });
    await service.call('POST', '/tickets/abc/reply', { key, body: { message: 'Hello' } });
    await service.call('GET', '/me', { key: secret });
    await service.call('PROPFIND', '/me', { key: secret });
    await service.flushAudit();
    expect((await entries()).map(outcome)).to.have.deep.members([
      ['tickets.create', null, 400, 'bad_request'],
      ['tickets.reply', '999', 404, 'not_found'],
      ['tickets.reply', 'abc', 400, 'bad_request'],
      ['account.me', null, 403, 'insufficient_scope'],
      [null, null, 405, 'method_not_allowed'],
    ]);
    expect(await service.models.auditEntries.list({ userId: user._id, limit: 10 })).to.have.lengthOf(2);
  });

  it('records each 401 of an expired or revoked key', async () => {
    const expired = await service.addKey({ expiresAt: new Date(0) });
    const revoked = await service.addKey();
    await service.models.apiKeys.revoke(revoked.key._id, new Date());
    for (const { secret } of [expired, revoked]) await service.call('GET', '/me', { key: secret });
    await service.flushAudit();
    expect((await entries()).map(({ keyId, userId, code }) => [keyId, userId, code])).to.have.deep.members([
      [expired.key._id, expired.user._id, 'unauthorized'],
      [revoked.key._id, revoked.user._id, 'unauthorized'],
    ]);
  });

  describe('for a key that calls too often', () => {
    const limit = 2;
    const limited = useService({ rateLimitPerMinute: limit });

    for (const [what, refusals, kept] of [
      ['records its 429s', 2, 2],
      ['records at most sixty 429s a minute, so that refused calls cannot fill the audit', 70, 60],
    ] as const)
      it(what, async () => {
        const { user, key: own, secret } = await limited.addKey();
        const calls = Array.from({ length: limit + refusals }, () =>
          limited.call('GET', '/me', { key: secret }),
        );
        await Promise.all(calls);
        await limited.flushAudit();
        const of429 = { userId: user._id, keyId: own._id, status: 429, code: 'rate_limited' };
        const found = await limited.models.auditEntries.list({ userId: user._id, limit: 100 });
        const refused = found.filter(({ status }) => status === 429);
        expect(refused).to.have.lengthOf(kept);
        expect(refused[0]).to.include(of429);
      });
  });

  it('records no call with an unknown key, and no successful call to a public path', async () => {
    const logged = service.logLines.length;
    for (const unknown of [null, generateSecret(), 'gamehost_live_nonsense'])
      await service.call('POST', '/tickets', { key: unknown, body: { title: 'Lag', message: 'Hello' } });
    const body = { credentials: ['x'] };
    for (const sent of [null, key]) {
      await service.call('GET', '/openapi.json', { key: sent });
      await service.call('POST', '/credentials/revoke', { key: sent, body });
    }
    await service.flushAudit();
    expect(await entries()).to.deep.equal([]);
    expect(service.logLines.slice(logged)).to.deep.equal([]);
  });

  it('keeps entries for 90 days', async () => {
    const indexes = await service.connection.collection('audit_entries').indexes();
    const lifetimes = indexes.map(({ key: fields, expireAfterSeconds }) => [
      fields['at'],
      expireAfterSeconds,
    ]);
    expect(lifetimes).to.deep.include([1, 90 * 24 * 60 * 60]);
  });
});

/** The id in the path, or that of the created object. */
function targetOf(row: Operation, { body }: Answer): string | null {
  if (row.targetField) return String(sampleInputOf(row)[row.targetField]);
  const [created] = Object.values<{ id: number }>(body);
  return row.type === 'mutation' ? String(created?.id) : null;
}
