/** Support tickets: opened and answered by their owner; a reply and the state it causes are one atomic update. */
import { type Connection, Schema } from 'mongoose';
import type { Sequences } from './sequence.ts';

export const ticketStatuses = ['New', 'Active', 'Closed', 'Archived'] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

const openStatuses: readonly TicketStatus[] = ['New', 'Active'];

interface TicketMessage {
  userId: number;
  keyId: string;
  text: string;
  createdAt: Date;
}

export interface TicketRecord {
  _id: number;
  userId: number;
  subject: string;
  status: TicketStatus;
  serviceName: string | null;
  serviceReference: string | null;
  serviceType: string | null;
  messages: TicketMessage[];
  /** UTF-8 size of all messages: a ticket is one document, and MongoDB's end at 16 MiB. */
  messageBytes: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A ticket without its conversation, as lists show it. */
export type TicketSummary = Pick<TicketRecord, '_id' | 'subject' | 'status' | 'createdAt' | 'updatedAt'>;

export interface NewTicket
  extends Pick<TicketRecord, 'userId' | 'subject' | 'serviceName' | 'serviceReference' | 'serviceType'> {
  keyId: string;
  text: string;
}

export interface NewReply {
  ticketId: number;
  userId: number;
  keyId: string;
  text: string;
}

export type ReplyOutcome = 'replied' | 'not_found' | 'closed' | 'full';

/** A list shows at most this many tickets, the newest. */
export const listedTicketsMax = 1000;

const messageBytesMax = 12 * 1024 * 1024;

const messageSchema = new Schema<TicketMessage>(
  {
    userId: { type: Number, required: true },
    keyId: { type: String, required: true },
    text: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { _id: false },
);

const ticketSchema = new Schema<TicketRecord>({
  _id: { type: Number, required: true },
  userId: { type: Number, required: true },
  subject: { type: String, required: true },
  status: { type: String, enum: ticketStatuses, required: true },
  serviceName: { type: String, default: null },
  serviceReference: { type: String, default: null },
  serviceType: { type: String, default: null },
  messages: { type: [messageSchema], required: true },
  messageBytes: { type: Number, required: true },
  createdAt: { type: Date, required: true },
  updatedAt: { type: Date, required: true },
});
ticketSchema.index({ userId: 1, _id: -1 });

export class Tickets {
  readonly #model;
  readonly #sequences: Sequences;

  constructor(connection: Connection, sequences: Sequences) {
    this.#model = connection.model('Ticket', ticketSchema, 'tickets');
    this.#sequences = sequences;
  }

  async open({ keyId, text, ...ticket }: NewTicket, now: Date): Promise<TicketSummary> {
    const created = await this.#model.create({
      ...ticket,
      _id: await this.#sequences.next('ticket'),
      status: 'New',
      messages: [{ userId: ticket.userId, keyId, text, createdAt: now }],
      messageBytes: Buffer.byteLength(text),
      createdAt: now,
      updatedAt: now,
    });
    return created.toObject();
  }

  /** A user's tickets, newest first. */
  list(userId: number): Promise<TicketSummary[]> {
    return this.#model
      .find({ userId }, { messages: 0 })
      .sort({ _id: -1 })
      .limit(listedTicketsMax)
      .lean()
      .exec();
  }

  findOwned(userId: number, id: number): Promise<TicketSummary | null> {
    return this.#model.findOne({ _id: id, userId }, { messages: 0 }).lean().exec();
  }

  /** Adds a reply and makes the ticket Active, both or neither; on refusal says why. */
  async reply({ ticketId, userId, keyId, text }: NewReply, now: Date): Promise<ReplyOutcome> {
    const bytes = Buffer.byteLength(text);
    const { matchedCount } = await this.#model.updateOne(
      {
        _id: ticketId,
        userId,
        status: { $in: openStatuses },
        messageBytes: { $lte: messageBytesMax - bytes },
      },
      {
        $push: { messages: { userId, keyId, text, createdAt: now } },
        $inc: { messageBytes: bytes },
        $set: { status: 'Active', updatedAt: now },
      },
    );
    return matchedCount === 1 ? 'replied' : this.#whyNot(userId, ticketId);
  }

  /** Closes or archives a ticket, whoever owns it; null when there is no such ticket. */
  setStatus(id: number, status: 'Closed' | 'Archived', now: Date): Promise<TicketSummary | null> {
    return this.#model
      .findByIdAndUpdate(id, { $set: { status, updatedAt: now } }, { returnDocument: 'after' })
      .select({ messages: 0 })
      .lean()
      .exec();
  }

  async #whyNot(userId: number, ticketId: number): Promise<ReplyOutcome> {
    const ticket = await this.findOwned(userId, ticketId);
    if (!ticket) return 'not_found';
    return openStatuses.includes(ticket.status) ? 'full' : 'closed';
  }
}
