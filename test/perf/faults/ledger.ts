/** Compares the answers to customers' writes with the database afterwards. */
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { connectMongoose } from '../../../server/database.ts';
import { describeCounts, type Figures, record } from './figures.ts';

interface Acknowledged {
  /** A text that only this write contains: a ticket's subject, a reply's message. */
  mark: string;
  key: string;
  ticketId: number;
  isTicket: boolean;
  requestId: string;
  /** When the successful attempt began. */
  startedAt: number;
}

const envelope = /^\{"error":\{"code":"[a-z_]+","message":"[^"]+"\}\}$/;

export class Ledger {
  readonly sent = new Set<string>();
  readonly acknowledged: Acknowledged[] = [];
  /** By status; 0 where there was no answer. */
  readonly errors: Record<string, number> = {};
  /** Answers that no customer should see: not a 5xx, or without the error envelope. */
  readonly improper: string[] = [];
  /** Writes with an Idempotency-Key that were never acknowledged. */
  readonly givenUp: string[] = [];
  longestErrorMs = 0;
  tookMs = 0;

  /** A 409 means that the first attempt is still in progress; anything else must be a 5xx of the service. */
  refuse(status: number, text: string, tookMs: number): void {
    this.errors[status] = (this.errors[status] ?? 0) + 1;
    this.longestErrorMs = Math.max(this.longestErrorMs, Math.ceil(tookMs));
    const isProper = status === 0 || ((status >= 500 || status === 409) && envelope.test(text));
    if (!isProper) this.improper.push(`${status} ${text}`);
  }

  /**
   * Finds acknowledged writes that are missing, duplicate writes, writes without an audit entry, and ids of several tickets.
   * @param log the service's log, which has audit entries that could not be stored
   */
  async compare(connection: Connection, log: string) {
    const tickets = connection
      .collection<{ _id: number; subject: string; messages: { text: string }[] }>('tickets')
      .find();
    const places = new Map<string, number[]>();
    for await (const { _id, subject, messages } of tickets)
      for (const mark of [subject, ...messages.map(({ text }) => text)])
        if (this.sent.has(mark)) places.set(mark, [...(places.get(mark) ?? []), _id]);
    const audited = new Set(
      await connection.collection('audit_entries').distinct('requestId', { status: 201 }),
    );
    const without = (isKept: (write: Acknowledged) => boolean | undefined) =>
      this.acknowledged.filter((write) => !isKept(write)).map(({ mark }) => mark);
    const ids = this.acknowledged.filter(({ isTicket }) => isTicket).map(({ ticketId }) => ticketId);
    return {
      lost: without(({ mark, ticketId }) => places.get(mark)?.includes(ticketId)),
      twice: [...places].filter(([, found]) => found.length > 1).map(([mark]) => mark),
      unaudited: without(({ requestId }) => audited.has(requestId) || log.includes(requestId)),
      sharedIds: ids.filter((id, index) => ids.indexOf(id) !== index),
    };
  }
}

interface End {
  load: { stop(): Promise<Ledger> };
  uri: string;
  program: { output(): string };
  figures?: Figures;
}

/** The longest time an error may take, on a machine that is busy with the load. */
const errorMsMax = 10_000;

/** Stops the load and checks the rules that hold after every fault. */
export async function endInOrder(fault: string, { load, uri, program, figures }: End): Promise<void> {
  const ledger = await load.stop();
  const connection = await connectMongoose(uri);
  const found = await ledger.compare(connection, program.output());
  await connection.close();
  const { acknowledged, errors, improper, givenUp, longestErrorMs, tookMs } = ledger;
  record(fault, {
    'answers/s': Math.round(acknowledged.length / (tookMs / 1000)),
    'acknowledged writes': acknowledged.length,
    lost: found.lost.length,
    'errors in between': describeCounts(errors),
    'longest error ms': longestErrorMs,
    ...figures,
  });
  const none: string[] = [];
  expect({ ...found, improper, givenUp }).to.deep.equal({
    ...{ lost: none, twice: none, unaudited: none, sharedIds: none },
    ...{ improper: none, givenUp: none },
  });
  expect(longestErrorMs).to.be.below(errorMsMax);
}
