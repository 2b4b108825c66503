/** Facts about writes to a ticket. The write's own update stores them in the ticket until their events are stored. */
import type { mongo } from 'mongoose';
import { detailFields, type TicketDetail } from './read.ts';
import { pendingIndex, type TicketFact, type TicketRecord } from './schema.ts';

/** Where events for webhooks and mail are stored, if either is on. */
export interface Outbox {
  readonly isOn: boolean;
  /** Call it when something is stored for the dispatcher. */
  notifyDispatcher(of: 'tickets'): void;
}

/** No ticket has more replies. Status changes exceed this only if no event is stored for hours; then only the newest stay. */
const pendingMax = 2500;
/** Facts of one ticket that are read together. */
const readMax = 20;

/** A field of a ticket's pipeline update; its expressions see the ticket before the update. */
export const addFact = ({ isOn }: Outbox, fact: { [Field in keyof TicketFact]: unknown }) =>
  isOn && {
    facts: { $slice: [{ $concatArrays: [{ $ifNull: ['$facts', []] }, [fact]] }, -pendingMax] },
  };

export type PendingTicket = Pick<TicketRecord, '_id' | 'userId'> & Required<Pick<TicketRecord, 'facts'>>;

/** Everything that the ticket's events show; `messages` has only the replies that the facts are about. */
export type PendingDetail = TicketDetail & PendingTicket & Pick<TicketRecord, 'messages'>;

const isPending = { 'facts.at': { $exists: true } };
const facts = { $slice: ['$facts', readMax] };

/** Tickets whose events are not all stored yet. */
export const createPending = (tickets: mongo.Collection<TicketRecord>) => ({
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

  /** Call it when the events of these facts are stored. */
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
