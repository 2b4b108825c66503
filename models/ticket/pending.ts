/** What writes of tickets did, kept in the ticket by the same update until its events are stored. */
import type { mongo } from 'mongoose';
import { detailFields, type TicketDetail } from './read.ts';
import { pendingIndex, type TicketFact, type TicketRecord } from './schema.ts';

type Tickets = mongo.Collection<TicketRecord>;

/** Where events of webhooks and mail are stored, if they are on. */
export interface Outbox {
  readonly isOn: boolean;
  /** Something is stored for it. */
  announce(): void;
}

/** A ticket with as many replies; so many status changes wait only where no event can be stored for hours, and then the last ones count. */
const pendingMax = 2500;
/** Of one ticket that are read together. */
const readMax = 20;

/** The field of a ticket's update by a pipeline, as an expression of the ticket before it. */
export const addFact = ({ isOn }: Outbox, fact: { [Field in keyof TicketFact]: unknown }) =>
  isOn && {
    pending: { $slice: [{ $concatArrays: [{ $ifNull: ['$pending', []] }, [fact]] }, -pendingMax] },
  };

/** Until its events are stored. */
export type PendingTicket = Pick<TicketRecord, '_id' | 'userId'> & Required<Pick<TicketRecord, 'pending'>>;

/** With all that its events show; `messages`: the replies that they are about. */
export type PendingDetail = TicketDetail & PendingTicket & Pick<TicketRecord, 'messages'>;

const pending = { $slice: ['$pending', readMax] };

/** Those that have waited longest first. */
export const listPending = (tickets: Tickets, limit: number): Promise<PendingTicket[]> =>
  tickets
    .find<PendingTicket>(
      { 'pending.at': { $exists: true } },
      { projection: { userId: 1, pending }, sort: pendingIndex, limit, hint: pendingIndex },
    )
    .toArray();

export function readPending(tickets: Tickets, ids: readonly number[]): Promise<PendingDetail[]> {
  const messages = { $filter: { input: '$messages', cond: { $in: ['$$this.id', '$pending.id'] } } };
  const filter = { _id: { $in: [...ids] }, 'pending.at': { $exists: true } };
  const options = { projection: { ...detailFields, pending, messages } };
  return tickets.find<PendingDetail>(filter, options).toArray();
}

/** The events of these are stored. */
export async function clearPending(
  tickets: Tickets,
  stored: readonly Pick<PendingTicket, '_id' | 'pending'>[],
): Promise<void> {
  const factIds = stored.flatMap(({ pending }) => pending.map(({ id }) => id));
  const left = { $filter: { input: '$pending', cond: { $not: { $in: ['$$this.id', factIds] } } } };
  // Without the field, the ticket leaves the index.
  const filter = { _id: { $in: stored.map(({ _id }) => _id) }, 'pending.at': { $exists: true } };
  await tickets.updateMany(filter, [
    { $set: { pending: { $cond: [{ $eq: [left, []] }, '$$REMOVE', left] } } },
  ]);
}
