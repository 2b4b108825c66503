/** What is kept of a support ticket: one document with its whole conversation, so that a reply is one atomic update. */
import { Schema } from 'mongoose';

export const ticketStatuses = ['New', 'Active', 'Closed', 'Archived'] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

/** The statuses in which a ticket takes replies. */
export const openStatuses: TicketStatus[] = ['New', 'Active'];

export interface TicketMessage {
  /** Tells one message from another when several are stored together. */
  id: string;
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
  /** UTF-8 size of all messages: MongoDB's documents end at 16 MiB. */
  messageBytes: number;
  createdAt: Date;
  updatedAt: Date;
  /** By which it is known that opening it was asked for before; without it, it is opened each time. */
  writeId?: string | undefined;
}

const messageSchema = new Schema<TicketMessage>(
  {
    id: { type: String, required: true },
    userId: { type: Number, required: true },
    keyId: { type: String, required: true },
    text: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { _id: false, id: false },
);

export const ticketSchema = new Schema<TicketRecord>({
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
  writeId: { type: String },
});
ticketSchema.index({ userId: 1, _id: -1 });
// The owner comes first, so that it stays unique where tickets are sharded by owner.
ticketSchema.index(
  { userId: 1, writeId: 1 },
  { unique: true, partialFilterExpression: { writeId: { $exists: true } } },
);
