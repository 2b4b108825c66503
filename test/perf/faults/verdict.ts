/** The end of a load that something was broken under: what must be true of it whatever that was. */
import { expect } from 'chai';
import { connectMongoose } from '../../../server/database.ts';
import { type Figures, record } from './figures.ts';
import type { Ledger } from './ledger.ts';

interface End extends Pick<Figures, 'recoveredMs' | 'badInputs' | 'notes'> {
  load: { stop(): Promise<Ledger> };
  uri: string;
  /** What the service wrote to its log. */
  program: { output(): string };
}

/** What an error may take, on a machine that is busy with the load, too. */
const errorMsMax = 10_000;

/**
 * Stops the load and leaves its figures, unless an acknowledged write is missing, there twice or not audited, two tickets
 * have one id, an answer was improper or slow, or a write was given up that should have come through.
 */
export async function endInOrder(fault: string, end: End): Promise<void> {
  const { load, uri, program, ...figures } = end;
  const ledger = await load.stop();
  const connection = await connectMongoose(uri);
  const verdict = await ledger.verify(connection, program.output());
  await connection.close();
  await record(fault, { ...ledger.figures(verdict), ...figures });
  expect(verdict).to.deep.equal({ lost: [], twice: [], unaudited: [] });
  expect(ledger.sharedIds()).to.deep.equal([]);
  expect(ledger.improper).to.deep.equal([]);
  expect(ledger.givenUp).to.deep.equal([]);
  expect(ledger.longestErrorMs).to.be.below(errorMsMax);
}
