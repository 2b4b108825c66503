/** What writes of tickets did, kept in the ticket by the same update until its events are stored. */
import type { mongo } from 'mongoose';
import { detailFields, type TicketDetail } from './read.ts';
import { pendingIndex, type TicketFact, type TicketRecord } from './schema.ts';

/** Where events of webhooks and mail are stored, if they are on. */
export interface Outbox {
  readonly isOn: boolean;
  /** Something is stored for it. */
  notifyDispatcher(of: 'tickets'): void;
}

/** A ticket with as many replies; so many status changes wait only where no event can be stored for hours, and then the last ones count. */
const pendingMax = 2500;
/** Of one ticket that are read together. */
const readMax = 20;

/** The field of a ticket's update by a pipeline, as an expression of the ticket before it. */
export const addFact = ({ isOn }: Outbox, fact: { [Field in keyof TicketFact]: unknown }) =>
  isOn && {
    facts: { $slice: [{ $concatArrays: [{ $ifNull: ['$facts', []] }, [fact]] }, -pendingMax] },
  };

/** Until its events are stored. */
export type PendingTicket = Pick<TicketRecord, '_id' | 'userId'> & Required<Pick<TicketRecord, 'facts'>>;

/** With all that its events show; `messages`: the replies that they are about. */
export type PendingDetail = TicketDetail & PendingTicket & Pick<TicketRecord, 'messages'>;

const isPending = { 'facts.at': { $exists: true } };
const facts = { $slice: ['$facts', readMax] };

/** Tickets whose writes have events that are still to be stored. */
export const createPending = (tickets: mongo.Collection<TicketRecord>) => ({
  /** Those that have waited longest first. */
  list: (limit: number): Promise<PendingTicket[]> =>
    tickets
      .find<PendingTicket>(isPending, { projection: { userId: 1, facts }, hint: pendingIndex })
      .sort(pendingIndex)
      .limit(limit)
      .toArray(),

  read(ids: readonly number[]): Promise<PendingDetail[]> {
    const messages = { $filter: { input: '$messages', cond: { $in: ['$$this.id', '$facts.id'] } } };
    const options = { projection: { ...detailFields, facts, messages } };
    return tickets.find<PendingDetail>({ _id: { $in: [...ids] }, ...isPending }, options).toArray();
  },

  /** The events of these are stored. */
  async clear(stored: readonly Pick<PendingTicket, '_id' | 'facts'>[]): Promise<void> {
    const factIds = new Set(stored.flatMap((ticket) => ticket.facts.map(({ id }) => id)));
    const left = { $filter: { input: '$facts', cond: { $not: { $in: ['$$this.id', [...factIds]] } } } };
    await tickets.updateMany(
      { _id: { $in: stored.map(({ _id }) => _id) }, ...isPending },
      // Without the field, the ticket leaves the index.
      [{ $set: { facts: { $cond: [{ $eq: [left, []] }, '$$REMOVE', left] } } }],
    );
  },
});
