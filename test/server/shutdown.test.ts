/** The shutdown leaves nothing behind if one of its steps fails. */
import { expect } from 'chai';
import { createLog } from '../../server/observability/log.ts';
import { Shutdown } from '../../server/shutdown.ts';
import { failureOf } from '../support/failure-of.ts';

describe('the shutdown', () => {
  it('runs every step in reverse order even if some fail, and reports the first reason', async () => {
    const shutdown = new Shutdown(createLog('silent'));
    const done: string[] = [];
    const step = (name: string, failure?: string) =>
      shutdown.add(async () => {
        done.push(name);
        if (failure) throw new Error(failure);
      });
    step('database', 'the database does not stop');
    step('Redis');
    shutdown.add(() => {
      throw new Error('the audit cannot be stored');
    });
    step('server');
    expect((await failureOf(shutdown.run())).message).to.equal('the audit cannot be stored');
    expect(done).to.deep.equal(['server', 'Redis', 'database']);
  });
});
