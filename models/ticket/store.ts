/** Support tickets. A reply and the status change it causes are one atomic update. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { openTicketsMax } from '../bounds.ts';
import type { Sequences } from '../sequence.ts';
import { createBatcher } from '../support/batcher.ts';
import { limitByKey } from '../support/limit-by-key.ts';
import { type Assignment, assign, countUnread, countWaiting, markRead } from './desk.ts';
import {
  listTicketsOfMany,
  type OwnTicketFilter,
  type StaffTicketFilter,
  searchTicketDetails,
  searchTicketsOfMany,
} from './list.ts';
import { countOpen, createOpenTickets } from './open.ts';
import {
  type Conversation,
  type ConversationRequest,
  detailFields,
  type PageRequest,
  readConversations,
  type TicketDetail,
} from './read.ts';
import {
  defineTickets,
  openStatuses,
  pendingIndex,
  summaryFields,
  type TicketRecord,
  type TicketStatus,
  type TicketSummary,
} from './schema.ts';
import {
  findByWriteId,
  isReplyStored,
  type NewReply,
  type NewTicket,
  replyToMany,
  replyWithin,
  type StoredReply,
} from './write.ts';

export type { TicketSummary } from './schema.ts';

export type ReplyResult = 'replied' | 'not_found' | 'closed' | 'unseen' | 'full';

export type SettableStatus = Exclude<TicketStatus, 'New'>;

/** The ticket after an attempt to change its status. */
export interface StatusChange {
  ticket: TicketDetail;
  /** Before the attempt; the same where nothing has changed. */
  previousStatus: TicketStatus;
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
  readonly #read: (request: ConversationRequest) => Promise<Conversation | null>;
  readonly #reply: (reply: NewReply) => Promise<boolean>;
  /**
   * Runs changes of a ticket, by its id, one after another: two at once would conflict, and each retry write the whole
   * ticket again.
   */
  readonly inOrder = limitByKey<number>(1);
  /** Runs what makes tickets of a user open one after another, so that each counts those before it. */
  readonly inOrderOfUser = limitByKey<number>(1);
  /** Opens a ticket with status New; throws TooManyOpenTickets. */
  readonly open: (ticket: NewTicket) => Promise<TicketSummary>;
  /** A user's tickets, newest first. */
  readonly list: (userId: number) => Promise<TicketSummary[]>;
  /** Those of them that a filter selects, newest first, with facts about each conversation. */
  readonly search: (filter: OwnTicketFilter) => Promise<TicketDetail[]>;

  /** Sets or clears who of the staff works on a ticket; false where that has changed meanwhile. */
  readonly assign: (assignment: Assignment) => Promise<boolean>;
  readonly markRead: (seen: { ticketId: number; number: number }) => void;
  readonly countUnread: (userId: number) => Promise<number>;
  readonly countWaiting: () => Promise<number>;

  constructor(connection: Connection, sequences: Sequences) {
    this.#connection = connection;
    const collection = defineTickets(connection);
    this.#collection = collection;
    this.#read = createBatcher((requests) => readConversations(connection, requests));
    this.#reply = createBatcher((replies) => replyToMany(collection, replies));
    this.open = createBatcher(createOpenTickets(connection, sequences));
    this.list = createBatcher((userIds) => listTicketsOfMany(connection, userIds));
    this.search = createBatcher((filters) => searchTicketsOfMany(connection, filters));
    this.assign = assign.bind(null, collection);
    this.markRead = markRead.bind(null, collection);
    this.countUnread = countUnread.bind(null, collection);
    this.countWaiting = countWaiting.bind(null, collection);
  }

  findOwned(userId: number, id: number): Promise<TicketSummary | null> {
    return this.#collection.findOne<TicketSummary>({ _id: id, userId }, { projection: summaryFields });
  }

  /** Tickets whose events are to be stored, which `clearPending` then says. */
  async listPending(limit: number): Promise<TicketDetail[]> {
    const options = { projection: detailFields, limit, hint: pendingIndex };
    const found = this.#collection.find<TicketDetail>({ pending: { $exists: true } }, options);
    return found.toArray();
  }

  async clearPending(ids: readonly number[]): Promise<void> {
    await this.#collection.updateMany({ _id: { $in: [...ids] } }, { $unset: { pending: '' } });
  }

  /** The ticket that an earlier try of the same request opened. */
  async findOpened({
    userId,
    writeId,
  }: Pick<NewTicket, 'userId' | 'writeId'>): Promise<TicketSummary | null> {
    return (await findByWriteId(this.#collection, [{ userId, writeId }])).get(writeId) ?? null;
  }

  /** With facts about each conversation. */
  searchDetails(filter: StaffTicketFilter): Promise<TicketDetail[]> {
    return searchTicketDetails(this.#connection, filter);
  }

  /** One page of any user's conversation, oldest message first. */
  read(id: number, page: PageRequest): Promise<Conversation | null> {
    return this.#read({ ...page, id, userId: undefined });
  }

  readOwned(userId: number, id: number, page: PageRequest): Promise<Conversation | null> {
    return this.#read({ ...page, id, userId });
  }

  /** Adds a reply and sets the status, both or neither; otherwise returns the reason. */
  async reply(reply: NewReply): Promise<ReplyResult> {
    return (await this.#reply(reply)) ? 'replied' : this.#refusalOf(reply);
  }

  /** The same as part of a transaction, with what it changed; a result alone where this call stored nothing. */
  async replyWithin(reply: NewReply, transaction: ClientSession): Promise<StoredReply | ReplyResult> {
    const stored = await replyWithin(this.#collection, reply, transaction);
    if (stored) return stored;
    return (await isReplyStored(this.#collection, reply)) ? 'replied' : this.#refusalOf(reply);
  }

  async #refusalOf(reply: NewReply): Promise<ReplyResult> {
    const ticket = await this.findOwned(reply.userId, reply.ticketId);
    if (!ticket) return 'not_found';
    if (!openStatuses.includes(ticket.status)) return 'closed';
    return (await this.#hasUnseen(reply)) ? 'unseen' : 'full';
  }

  async #hasUnseen({ userId, ticketId, seen }: NewReply): Promise<boolean> {
    if (seen === undefined) return false;
    const later = await this.readOwned(userId, ticketId, { after: seen, limit: 1 });
    return (later?.messages.length ?? 0) > 0;
  }

  /** Sets the status of any user's ticket if the present one allows it; null when there is no such ticket. */
  setStatus(
    id: number,
    status: SettableStatus,
    { now, transaction }: ChangeOptions,
  ): Promise<StatusChange | null> {
    const changes = { status, updatedAt: now };
    return this.#change({ _id: id }, { from: statusesBefore[status], changes, transaction });
  }

  /** Closes an open ticket of the user. */
  close(userId: number, id: number, { now, transaction }: ChangeOptions): Promise<StatusChange | null> {
    const changes = { status: 'Closed' as const, updatedAt: now };
    return this.#change({ _id: id, userId }, { from: openStatuses, changes, transaction });
  }

  /** Makes a closed ticket of the user Active again, unless the user has `openTicketsMax` open ones. */
  async reopen(
    userId: number,
    id: number,
    { now, transaction }: ChangeOptions,
  ): Promise<StatusChange | null> {
    const open = (await countOpen(this.#connection, [userId])).get(userId) ?? 0;
    const changes = { status: 'Active' as const, updatedAt: now };
    const from = open < openTicketsMax ? (['Closed'] as const) : [];
    return this.#change({ _id: id, userId }, { from, changes, transaction });
  }

  async #change(
    filter: { _id: number; userId?: number },
    { from, changes, transaction: session }: PreparedChange,
  ): Promise<StatusChange | null> {
    const options = { projection: detailFields, ...(session && { session }) };
    const before = await this.#findAndUpdate({ ...filter, status: { $in: [...from] } }, changes, options);
    if (before) {
      const ticket = { ...before, ...changes };
      return { ticket, previousStatus: before.status, hasChanged: true };
    }
    const found = (await this.#collection.findOne(filter, options)) as TicketDetail | null; // as projected
    return found && { ticket: found, previousStatus: found.status, hasChanged: false };
  }

  #findAndUpdate(
    filter: mongo.Filter<TicketRecord>,
    changes: PreparedChange['changes'],
    options: mongo.FindOneAndUpdateOptions,
  ): Promise<TicketDetail | null> {
    const found = this.#collection.findOneAndUpdate(
      filter,
      { $set: { ...changes, isClosedByAnswer: false } },
      { ...options, returnDocument: 'before' },
    );
    return found as Promise<TicketDetail | null>; // as projected
  }
}

interface ChangeOptions {
  now: Date;
  transaction?: ClientSession | undefined;
}

interface PreparedChange {
  from: readonly TicketStatus[];
  changes: Pick<TicketRecord, 'status' | 'updatedAt'>;
  transaction: ClientSession | undefined;
}
