/** Support tickets. A write is one atomic update, which also stores the facts that its events are made from. */
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import { pageSizeMax } from '../bounds.ts';
import type { Sequences } from '../sequence.ts';
import { createBatcher } from '../support/batcher.ts';
import { retry } from '../support/retry.ts';
import {
  listTicketsOfMany,
  type OwnTicketFilter,
  type StaffTicketFilter,
  searchOwnTickets,
  searchTicketDetails,
} from './list.ts';
import { createOpenTickets, findByWriteId, hasCollided, type NewTicket, readNextOpenings } from './open.ts';
import { addFact, createPending, type Outbox } from './pending.ts';
import {
  type Conversation,
  type ConversationPage,
  detailFields,
  readConversation,
  type TicketDetail,
} from './read.ts';
import { type NewReply, replyToMany } from './reply.ts';
import {
  defineTickets,
  openStatuses,
  type TicketRecord,
  type TicketStatus,
  type TicketSummary,
} from './schema.ts';

export type { TicketSummary } from './schema.ts';

export type ReplyResult = 'replied' | 'not_found' | 'closed' | 'unseen' | 'full';

export type SettableStatus = Exclude<TicketStatus, 'New'>;

export interface StatusChange {
  ticket: TicketDetail;
  hasChanged: boolean;
}

/** The statuses from which each status can be set; Archived is final. */
const statusesBefore: Record<SettableStatus, readonly TicketStatus[]> = {
  Active: ['New', 'Closed'],
  Closed: openStatuses,
  Archived: [...openStatuses, 'Closed'],
};

export class Tickets {
  readonly #connection: Connection;
  readonly #collection: mongo.Collection<TicketRecord>;
  readonly #outbox: Outbox;
  readonly #open: (ticket: NewTicket) => Promise<TicketSummary>;
  readonly #reply: (reply: NewReply) => Promise<boolean>;
  readonly pending: ReturnType<typeof createPending>;
  readonly list: (userId: number) => Promise<TicketSummary[]>;

  constructor(connection: Connection, sequences: Sequences, outbox: Outbox) {
    const collection = defineTickets(connection);
    this.#connection = connection;
    this.#collection = collection;
    this.#outbox = outbox;
    this.pending = createPending(collection);
    this.#open = createBatcher(createOpenTickets(connection, { collection, sequences, outbox }));
    this.#reply = createBatcher((replies) => replyToMany(collection, outbox, replies));
    this.list = createBatcher((userIds) => listTicketsOfMany(connection, userIds));
  }

  /** @throws {TooManyOpenTickets} */
  async open(ticket: NewTicket): Promise<TicketSummary> {
    // The retries need no limit: a collision means that another ticket was opened.
    const opened = await retry(() => this.#open(ticket), { when: hasCollided });
    this.#outbox.notifyDispatcher('tickets');
    return opened;
  }

  /** The ticket that an earlier try of the same request opened. */
  async findOpened(opening: Pick<NewTicket, 'userId' | 'writeId'>): Promise<TicketSummary | null> {
    return (await findByWriteId(this.#collection, [opening])).get(opening.writeId) ?? null;
  }

  search(filter: OwnTicketFilter): Promise<TicketDetail[]> {
    return searchOwnTickets(this.#connection, filter);
  }

  searchDetails(filter: StaffTicketFilter): Promise<TicketDetail[]> {
    return searchTicketDetails(this.#connection, filter);
  }

  read(page: ConversationPage): Promise<Conversation | null> {
    return readConversation(this.#connection, page);
  }

  /** Stores the reply and the status, both or neither; resolves to the reason if neither. */
  async reply(reply: NewReply): Promise<ReplyResult> {
    if (!(await this.#reply(reply))) return this.#refusalOf(reply);
    this.#outbox.notifyDispatcher('tickets');
    return 'replied';
  }

  async #refusalOf({ userId, ticketId, lastSeenNumber }: NewReply): Promise<ReplyResult> {
    const found = await this.read({ id: ticketId, userId, after: lastSeenNumber ?? 0, limit: 1 });
    if (!found) return 'not_found';
    if (!openStatuses.includes(found.ticket.status)) return 'closed';
    return lastSeenNumber !== undefined && found.messages.length > 0 ? 'unseen' : 'full';
  }

  setStatus(
    { id, status }: { id: number; status: SettableStatus },
    now: Date,
    transaction?: ClientSession,
  ): Promise<StatusChange | null> {
    const from = statusesBefore[status];
    return this.#change({ _id: id }, { status, from, isByStaff: true, now }, transaction);
  }

  close({ id, userId }: OwnTicket, now: Date, transaction?: ClientSession): Promise<StatusChange | null> {
    const change = { status: 'Closed', from: openStatuses, isByStaff: false, now } as const;
    return this.#change({ _id: id, userId }, change, transaction);
  }

  /**
   * Changes nothing while the user has `openTicketsMax` open tickets.
   * @throws an error that `isOpeningCollision` accepts: run the transaction again
   */
  async reopen(
    { id, userId }: OwnTicket,
    now: Date,
    transaction: ClientSession,
  ): Promise<StatusChange | null> {
    const openings = await readNextOpenings(this.#connection, [{ userId }]);
    const openingNumber = openings.get(userId)?.[0];
    const from = openingNumber === undefined ? [] : (['Closed'] as const);
    const change = { status: 'Active', from, isByStaff: false, now, openingNumber } as const;
    return this.#change({ _id: id, userId }, change, transaction);
  }

  async #change(
    filter: { _id: number; userId?: number },
    { status, from, isByStaff, now, openingNumber }: PreparedChange,
    session: ClientSession | undefined,
  ): Promise<StatusChange | null> {
    const kept = { previousStatus: '$status', lastReplyBy: '$lastReplyBy', messageCount: '$messageCount' };
    const fact = { ...kept, id: randomUUID(), type: 'ticket.status_changed', at: now, status, isByStaff };
    const changes = {
      ...{ status, updatedAt: now, isClosedByAnswer: false, ...addFact(this.#outbox, fact) },
      ...(openingNumber !== undefined && { openingNumber }),
    };
    const options = {
      projection: detailFields,
      returnDocument: 'after',
      ...(session && { session }),
    } as const;
    const isChangeable = { ...filter, status: { $in: [...from] } };
    const changed = await this.#collection.findOneAndUpdate(isChangeable, [{ $set: changes }], options);
    if (changed) this.#announceAfter(session);
    const ticket: TicketDetail | null = changed ?? (await this.#collection.findOne(filter, options));
    return ticket && { ticket, hasChanged: changed !== null };
  }

  #announceAfter(transaction: ClientSession | undefined): void {
    // A retried transaction already has the listener.
    if (transaction) transaction.off('ended', this.#announce).once('ended', this.#announce);
    else this.#announce();
  }

  readonly #announce = () => this.#outbox.notifyDispatcher('tickets');

  /** `to` null unassigns the ticket. Resolves to null when `from` is given and the assignee was neither `from` nor `to`. */
  assign({ ticketId, from, to }: Assignment, session?: ClientSession): Promise<TicketDetail | null> {
    // In a filter, null also matches tickets without the field.
    const known = from === undefined ? {} : { assigneeId: { $in: [from, to] as number[] } };
    const update = to === null ? { $unset: { assigneeId: 1 as const } } : { $set: { assigneeId: to } };
    const options = {
      projection: detailFields,
      returnDocument: 'after',
      ...(session && { session }),
    } as const;
    return this.#collection.findOneAndUpdate({ _id: ticketId, ...known }, update, options);
  }

  /**
   * Does nothing if there are later messages. It is not awaited and may be lost, because a read must neither wait for a write
   * nor fail with one.
   */
  markRead({ ticketId, number }: { ticketId: number; number: number }): void {
    const filter = { _id: ticketId, isUnread: true, [`messages.${number}`]: { $exists: false } };
    void this.#collection.updateOne(filter, { $set: { isUnread: false } }).catch(() => {});
  }

  countUnread(userId: number): Promise<number> {
    return this.#collection.countDocuments({ userId, isUnread: true }, { limit: pageSizeMax });
  }

  countWaiting(): Promise<number> {
    return this.#collection.countDocuments(
      { status: { $in: openStatuses }, lastReplyBy: 'customer' },
      { limit: pageSizeMax, hint: { status: 1, lastReplyBy: 1, _id: -1 } },
    );
  }
}

interface OwnTicket {
  id: number;
  userId: number;
}

interface Assignment {
  ticketId: number;
  from?: number | null | undefined;
  to: number | null;
}

interface PreparedChange {
  status: SettableStatus;
  from: readonly TicketStatus[];
  isByStaff: boolean;
  now: Date;
  openingNumber?: number | undefined;
}
