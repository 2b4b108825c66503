/** Support tickets. A reply and the status change it causes are one atomic update. */
import type { Connection, Model } from 'mongoose';
import type { Sequences } from '../sequence.ts';
import { createBatcher } from '../support/batcher.ts';
import { insertTickets, type NewTicket } from './insert.ts';
import { listTicketsOfMany, summaryFields, type TicketSummary } from './list.ts';
import {
  type Conversation,
  type ConversationRequest,
  type PageRequest,
  readConversations,
  type TicketDetail,
} from './read.ts';
import { type NewReply, replyToMany } from './reply.ts';
import { openStatuses, type TicketRecord, type TicketStatus, ticketSchema } from './schema.ts';
import {
  type OwnTicketFilter,
  searchTicketDetails,
  searchTicketsOfMany,
  type TicketFilter,
} from './search.ts';

export type { TicketSummary } from './list.ts';

export type ReplyOutcome = 'replied' | 'not_found' | 'closed' | 'full';

export type SettableStatus = Exclude<TicketStatus, 'New'>;

/** The ticket after an attempt to change its status. */
export interface StatusOutcome {
  ticket: TicketSummary & Pick<TicketRecord, 'userId'>;
  hasChanged: boolean;
}

const changedFields = { ...summaryFields, userId: 1 } as const;

/** The statuses from which each status can be set; Archived is final. */
const statusesBefore: Record<SettableStatus, readonly TicketStatus[]> = {
  Active: ['New', 'Closed'],
  Closed: openStatuses,
  Archived: [...openStatuses, 'Closed'],
};

export class Tickets {
  readonly #connection: Connection;
  readonly #model: Model<TicketRecord>;
  readonly #read: (request: ConversationRequest) => Promise<Conversation | null>;
  readonly #reply: (reply: NewReply) => Promise<boolean>;
  /** Opens a ticket with status New. */
  readonly open: (ticket: NewTicket) => Promise<TicketSummary>;
  /** A user's tickets, newest first. */
  readonly list: (userId: number) => Promise<TicketSummary[]>;
  /** Those of them that a filter selects, newest first. */
  readonly search: (filter: OwnTicketFilter) => Promise<TicketSummary[]>;

  constructor(connection: Connection, sequences: Sequences) {
    const model = connection.model('Ticket', ticketSchema, 'tickets');
    this.#connection = connection;
    this.#model = model;
    const collection = connection.collection<TicketRecord>('tickets');
    this.#read = createBatcher((requests) => readConversations(connection, requests));
    this.#reply = createBatcher((replies) => replyToMany(collection, replies));
    this.open = createBatcher((tickets) => insertTickets(collection, sequences, tickets));
    this.list = createBatcher((userIds) => listTicketsOfMany(connection, userIds));
    this.search = createBatcher((filters) => searchTicketsOfMany(connection, filters));
  }

  findOwned(userId: number, id: number): Promise<TicketSummary | null> {
    return this.#model.findOne({ _id: id, userId }, summaryFields).lean().exec();
  }

  /** Newest first, with facts about each conversation. */
  searchDetails(filter: TicketFilter): Promise<TicketDetail[]> {
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
  async reply(reply: NewReply): Promise<ReplyOutcome> {
    if (await this.#reply(reply)) return 'replied';
    const ticket = await this.findOwned(reply.userId, reply.ticketId);
    if (!ticket) return 'not_found';
    return openStatuses.includes(ticket.status) ? 'full' : 'closed';
  }

  /** Sets the status of any user's ticket if the present one allows it; null when there is no such ticket. */
  setStatus(id: number, status: SettableStatus, now: Date): Promise<StatusOutcome | null> {
    return this.#change({ _id: id }, statusesBefore[status], { status, updatedAt: now });
  }

  /** Closes an open ticket of the user. */
  close(userId: number, id: number, now: Date): Promise<StatusOutcome | null> {
    return this.#change({ _id: id, userId }, openStatuses, { status: 'Closed', updatedAt: now });
  }

  /** Makes a closed ticket of the user Active again. */
  reopen(userId: number, id: number, now: Date): Promise<StatusOutcome | null> {
    return this.#change({ _id: id, userId }, ['Closed'], { status: 'Active', updatedAt: now });
  }

  async #change(
    filter: { _id: number; userId?: number },
    from: readonly TicketStatus[],
    changes: Pick<TicketRecord, 'status' | 'updatedAt'>,
  ): Promise<StatusOutcome | null> {
    const updated = await this.#model
      .findOneAndUpdate(
        { ...filter, status: { $in: from } },
        { $set: changes },
        { returnDocument: 'after', projection: changedFields },
      )
      .lean();
    if (updated) return { ticket: updated, hasChanged: true };
    const ticket = await this.#model.findOne(filter, changedFields).lean();
    return ticket && { ticket, hasChanged: false };
  }
}
