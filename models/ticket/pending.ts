/** What writes of tickets did, kept in the ticket by the same update until its events are stored. */
import type { mongo } from 'mongoose';
import { detailFields, type TicketDetail } from './read.ts';
import { pendingIndex, type TicketFact, type TicketRecord } from './schema.ts';

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

export interface PendingTicket extends TicketDetail, Required<Pick<TicketRecord, 'pending'>> {
  /** The replies that this is about. */
  messages: TicketRecord['messages'];
}

/** Those that have waited longest first. */
export function listPending(
  tickets: mongo.Collection<TicketRecord>,
  limit: number,
): Promise<PendingTicket[]> {
  const projection = {
    ...detailFields,
    pending: { $slice: ['$pending', readMax] },
    messages: { $filter: { input: '$messages', cond: { $in: ['$$this.id', '$pending.id'] } } },
  };
  const options = { projection, sort: pendingIndex, limit, hint: pendingIndex };
  return tickets.find<PendingTicket>({ 'pending.at': { $exists: true } }, options).toArray();
}

/** The events of these are stored. */
export async function clearPending(
  tickets: mongo.Collection<TicketRecord>,
  stored: readonly Pick<PendingTicket, '_id' | 'pending'>[],
): Promise<void> {
  const factIds = stored.flatMap(({ pending }) => pending.map(({ id }) => id));
  const left = { $filter: { input: '$pending', cond: { $not: { $in: ['$$this.id', factIds] } } } };
  // Without the field, the ticket leaves the index.
  const pending = { $cond: [{ $eq: [left, []] }, '$$REMOVE', left] };
  const filter = { _id: { $in: stored.map(({ _id }) => _id) }, 'pending.at': { $exists: true } };
  await tickets.updateMany(filter, [{ $set: { pending } }]);
}
