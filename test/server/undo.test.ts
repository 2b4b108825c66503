/** The stop of the service: nothing is left behind because something else fails. */
import { expect } from 'chai';
import { createLog } from '../../server/observability/log.ts';
import { Undo } from '../../server/undo.ts';
import { failureOf } from '../support/failure-of.ts';

describe('a stop', () => {
  it('takes every step in reverse, though some fail, and says the first reason', async () => {
    const undo = new Undo(createLog('silent'));
    const done: string[] = [];
    const step = (name: string, failure?: string) =>
      undo.add(async () => {
        done.push(name);
        if (failure) throw new Error(failure);
      });
    step('database', 'the database does not stop');
    step('Redis');
    undo.add(() => {
      throw new Error('the audit cannot be stored');
    });
    step('server');
    expect((await failureOf(undo.run())).message).to.equal('the audit cannot be stored');
    expect(done).to.deep.equal(['server', 'Redis', 'database']);
  });
});
