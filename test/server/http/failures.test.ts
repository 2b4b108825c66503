/** An internal failure is a bare 500 for the caller and is logged in full under the same request id. */
import { expect } from 'chai';
import { z } from 'zod';
import { NoInput } from '../../../routers/schemas/common.ts';
import { endpoint, router } from '../../../routers/trpc.ts';
import { expectError } from '../../support/expect-error.ts';
import { useService } from '../../support/service.ts';

const breaking = (path: `/${string}`, run: () => { count: number }) =>
  endpoint({
    route: `GET ${path}`,
    scope: 'any',
    tag: 'Account',
    summary: 'Break',
    description: 'Breaks.',
  })
    .input(NoInput)
    .output(z.object({ count: z.int() }))
    .query(run);

const breakingRouter = router({
  breaks: breaking('/breaks', () => {
    throw new Error('E11000 at mongodb://db.internal');
  }),
  answersWrongly: breaking('/answers-wrongly', () => ({ count: 1.5 })),
  throwsText: breaking('/throws-text', () => {
    throw 'mongodb://db.internal';
  }),
});

describe('an unexpected failure', () => {
  const service = useService({ router: breakingRouter });
  let key: string;

  before(async () => {
    ({ secret: key } = await service.addKey());
  });
  beforeEach(() => {
    service.logLines.length = 0;
  });

  for (const [what, path] of [
    ['a procedure throws', '/breaks'],
    ['a procedure returns a value outside its schema', '/answers-wrongly'],
    ['a procedure throws a value that is no Error', '/throws-text'],
  ] as const)
    it(`is answered with 500 internal_error without the cause if ${what}`, async () => {
      const answer = await service.call('GET', path, { key });
      expectError(answer, 'internal_error', 'Internal error');
      expect(JSON.stringify([...answer.headers])).not.to.include('internal:');
      expect(answer.headers.get('X-RateLimit-Limit')).to.equal('120');
    });

  it('is logged once with its cause and stack, under the request id that the caller gets', async () => {
    await service.call('GET', '/breaks', { key, headers: { 'X-Request-Id': 'broken-1' } });
    expect(service.logLines).to.have.lengthOf(1);
    const entry = JSON.parse(service.logLines[0] ?? '');
    expect(entry).to.deep.include({ level: 50, requestId: 'broken-1', msg: 'Internal error' });
    expect(entry.err.stack).to.include('E11000 at mongodb://db.internal').and.to.include('failures.test.ts');
  });

  it('is recorded in the audit as 500 internal_error', async () => {
    await service.call('GET', '/breaks', { key });
    await service.flushAudit();
    const [entry] = await service.models.auditEntries.list({ limit: 1 });
    expect(entry).to.deep.include({ operation: 'breaks', status: 500, code: 'internal_error' });
  });

  it('is the only kind logged: a failure that the caller caused is not', async () => {
    for (const path of ['/nothing', '/breaks?surprise=1']) await service.call('GET', path, { key });
    await service.call('GET', '/breaks');
    expect(service.logLines).to.deep.equal([]);
  });
});
