/** What the audit keeps of a call, and what it has no business with. */
import { expect } from 'chai';
import { useService } from '../../support/service.ts';

describe('the audit', () => {
  const service = useService();

  it('has no entry, and logs no error, for a write without a caller', async () => {
    const body = { title: 'Lag', message: 'Since noon.' };
    const answer = await service.call('POST', '/tickets', { body });
    await service.flushAudit();
    expect(answer.status).to.equal(401);
    expect(await service.models.auditEntries.list({ limit: 10 })).to.deep.equal([]);
    expect(service.logLines).to.deep.equal([]);
  });
});
