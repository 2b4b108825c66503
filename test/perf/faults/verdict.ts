/** The end of a load that something was broken under: what must be true of it whatever that was. */
import { expect } from 'chai';
import { connectMongoose } from '../../../server/database.ts';
import { record } from './figures.ts';
import type { Load } from './load.ts';

interface End {
  load: Load;
  uri: string;
  /** What the service wrote to its log. */
  program: { output(): string };
  recoveredMs?: number;
  /** How many requests were sent that nothing can be made of. */
  badInputs?: number;
  /** What an error may take. */
  errorMsMax?: number;
}

/**
 * Stops the load and leaves its figures, unless an acknowledged write is missing, there twice or not audited, two tickets
 * have one id, an answer was improper or slow, or a write was given up that should have come through.
 */
export async function endInOrder(fault: string, end: End): Promise<void> {
  const { load, uri, program, errorMsMax = 10_000 } = end;
  const ledger = await load.stop();
  const connection = await connectMongoose(uri);
  const verdict = await ledger.verify(connection, program.output());
  await connection.close();
  const { recoveredMs, badInputs } = end;
  await record(fault, {
    ...ledger.figures(verdict),
    ...(recoveredMs !== undefined && { recoveredMs }),
    ...(badInputs !== undefined && { badInputs }),
  });
  expect(verdict).to.deep.equal({ lost: [], twice: [], unaudited: [] });
  expect(ledger.sharedIds()).to.deep.equal([]);
  expect(ledger.improper).to.deep.equal([]);
  expect(ledger.givenUp).to.deep.equal([]);
  expect(ledger.longestErrorMs).to.be.below(errorMsMax);
}
