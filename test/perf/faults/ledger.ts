/** What customers were told of their writes, beside what the database holds of them afterwards. */
import type { Connection } from 'mongoose';
import type { Figures } from './figures.ts';

export interface Acknowledged {
  /** A text that is in this write and in no other: a ticket's subject, a reply's message. */
  mark: string;
  /** Of the customer. */
  key: string;
  ticketId: number;
  isTicket: boolean;
  requestId: string;
  /** When the try that succeeded began. */
  startedAt: number;
}

interface Refusal {
  /** 0 where there was no answer. */
  status: number;
  text: string;
  tookMs: number;
}

interface StoredTicket {
  _id: number;
  subject: string;
  messages: { text: string }[];
}

/** Acknowledged writes that are not there, writes that are there more than once, and what the audit lacks. */
export interface Verdict {
  lost: string[];
  twice: string[];
  unaudited: string[];
}

const envelope = /^\{"error":\{"code":"[a-z_]+","message":"[^"]+"\}\}$/;

export class Ledger {
  readonly #sent = new Set<string>();
  readonly acknowledged: Acknowledged[] = [];
  readonly errors: Record<string, number> = {};
  /** Answers that no customer should ever have seen: no 5xx, or no envelope. */
  readonly improper: string[] = [];
  /** Writes with an Idempotency-Key that were never acknowledged. */
  readonly givenUp: string[] = [];
  longestErrorMs = 0;
  /** When the youngest of the tries that succeeded began. */
  newestTryAt = 0;
  tookMs = 0;

  send(mark: string): void {
    this.#sent.add(mark);
  }

  acknowledge(write: Acknowledged): void {
    this.acknowledged.push(write);
    this.newestTryAt = Math.max(this.newestTryAt, write.startedAt);
  }

  /** A 409 says that the first try is still in progress; all else is to be a 5xx of ours. */
  refuse({ status, text, tookMs }: Refusal): null {
    this.errors[status] = (this.errors[status] ?? 0) + 1;
    this.longestErrorMs = Math.max(this.longestErrorMs, Math.ceil(tookMs));
    const isProper = status === 0 || ((status >= 500 || status === 409) && envelope.test(text));
    if (!isProper) this.improper.push(`${status} ${text}`);
    return null;
  }

  giveUp(path: string): void {
    this.givenUp.push(path);
  }

  /** @param log what the service wrote, where the audit's entries go that could not be stored */
  async verify(connection: Connection, log = ''): Promise<Verdict> {
    const tickets = connection.collection<StoredTicket>('tickets').find();
    const places = new Map<string, number[]>();
    for await (const { _id, subject, messages } of tickets)
      for (const mark of [subject, ...messages.map(({ text }) => text)])
        if (this.#sent.has(mark)) places.set(mark, [...(places.get(mark) ?? []), _id]);
    const audited = new Set(
      await connection.collection('audit_entries').distinct('requestId', { status: 201 }),
    );
    const isThere = ({ mark, ticketId }: Acknowledged) => places.get(mark)?.includes(ticketId);
    const isAudited = ({ requestId }: Acknowledged) => audited.has(requestId) || log.includes(requestId);
    return {
      lost: this.acknowledged.filter((write) => !isThere(write)).map(({ mark }) => mark),
      twice: [...places].filter(([, ids]) => ids.length > 1).map(([mark]) => mark),
      unaudited: this.acknowledged.filter((write) => !isAudited(write)).map(({ mark }) => mark),
    };
  }

  /** Ids that two tickets were promised under. */
  sharedIds(): number[] {
    const ids = this.acknowledged.filter(({ isTicket }) => isTicket).map(({ ticketId }) => ticketId);
    return ids.filter((id, index) => ids.indexOf(id) !== index);
  }

  figures({ lost, twice }: Verdict): Figures {
    return {
      answersPerSecond: Math.round(this.acknowledged.length / (this.tookMs / 1000)),
      acknowledged: this.acknowledged.length,
      lost: lost.length,
      twice: twice.length,
      errors: this.errors,
      longestErrorMs: this.longestErrorMs,
    };
  }
}
