/** Bulk writes for which MongoDB reports each failure separately. */
import { expect } from 'chai';
import { mongo } from 'mongoose';
import { outageOf } from '../../models/support/outages.ts';
import { collectFailures, isDuplicateIn } from '../../models/support/writes.ts';

/** A shard router answers like this for some writes of a command. */
function failWith(...errors: { index: number; code: number; errmsg: string }[]): never {
  // The driver exports no constructor for them.
  const writeErrors = errors as unknown as mongo.WriteError[];
  const message = { message: errors[0]?.errmsg ?? '', code: errors[0]?.code ?? 0, writeErrors };
  throw new mongo.MongoBulkWriteError(message, {} as mongo.BulkWriteResult); // The result is not used.
}

describe('a bulk write', () => {
  it('fails as an outage if MongoDB could not serve it, and for a single document otherwise', async () => {
    const failures = await collectFailures(async () =>
      failWith(
        { index: 1, code: 189, errmsg: 'stepped down' },
        { index: 2, code: 462, errmsg: 'too many requests' },
        { index: 4, code: 11_000, errmsg: 'E11000 duplicate key error collection: a.b index: _id_ dup key' },
      ),
    );
    expect([...failures.keys()]).to.deep.equal([1, 2, 4]);
    const states = [...failures.values()].map((failure) => outageOf(failure)?.state);
    expect(states).to.deep.equal(['unreachable', 'busy', undefined]);
    expect([...failures.values()].map((failure) => isDuplicateIn('_id_', failure))).to.deep.equal([
      false,
      false,
      true,
    ]);
  });
});
