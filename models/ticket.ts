/** Support tickets: opened and answered by their owner; a reply and the state it causes are one atomic update. */
import type { Connection, Model } from 'mongoose';
import { gather } from './gather.ts';
import type { Sequences } from './sequence.ts';
import { listTogether, summaryFields, type TicketSummary } from './ticket-listing.ts';
import { type NewTicket, openTogether } from './ticket-opening.ts';
import { type NewReply, replyTogether } from './ticket-reply.ts';
import { openStatuses, type TicketRecord, type TicketStatus, ticketSchema } from './ticket-schema.ts';

export type { TicketSummary } from './ticket-listing.ts';

export type ReplyOutcome = 'replied' | 'not_found' | 'closed' | 'full';

export type FinalStatus = 'Closed' | 'Archived';

/** The ticket as it is after an attempt to close or archive it. */
export interface MoveOutcome {
  ticket: TicketSummary;
  hasChanged: boolean;
}

/** From which states a ticket can be closed or archived; an archived one stays so. */
const movesTo: Record<FinalStatus, readonly TicketStatus[]> = {
  Closed: openStatuses,
  Archived: [...openStatuses, 'Closed'],
};

export class Tickets {
  readonly #model: Model<TicketRecord>;
  readonly #reply: (reply: NewReply) => Promise<boolean>;
  /** Opens a ticket, which is New. */
  readonly open: (ticket: NewTicket) => Promise<TicketSummary>;
  /** A user's tickets, newest first. */
  readonly list: (userId: number) => Promise<TicketSummary[]>;

  constructor(connection: Connection, sequences: Sequences) {
    const model = connection.model('Ticket', ticketSchema, 'tickets');
    this.#model = model;
    const collection = connection.collection<TicketRecord>('tickets');
    this.#reply = gather((replies) => replyTogether(collection, replies));
    this.open = gather((tickets) => openTogether(collection, sequences, tickets));
    this.list = gather((userIds) => listTogether(connection, userIds));
  }

  findOwned(userId: number, id: number): Promise<TicketSummary | null> {
    return this.#model.findOne({ _id: id, userId }, summaryFields).lean().exec();
  }

  /** Adds a reply and makes the ticket Active, both or neither; on refusal says why. */
  async reply(reply: NewReply): Promise<ReplyOutcome> {
    if (await this.#reply(reply)) return 'replied';
    const ticket = await this.findOwned(reply.userId, reply.ticketId);
    if (!ticket) return 'not_found';
    return openStatuses.includes(ticket.status) ? 'full' : 'closed';
  }

  /** Closes or archives a ticket, whoever owns it, where its state allows it; null when there is no such ticket. */
  async setStatus(id: number, status: FinalStatus, now: Date): Promise<MoveOutcome | null> {
    const moved = await this.#model
      .findOneAndUpdate(
        { _id: id, status: { $in: movesTo[status] } },
        { $set: { status, updatedAt: now } },
        { returnDocument: 'after', projection: summaryFields },
      )
      .lean();
    if (moved) return { ticket: moved, hasChanged: true };
    const ticket = await this.#model.findById(id, summaryFields).lean();
    return ticket && { ticket, hasChanged: false };
  }
}
