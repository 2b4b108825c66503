/** A support ticket: one document with its whole conversation, so that a reply is one atomic update. */
import type { Connection, mongo } from 'mongoose';
import { defineCollection, defineSchema, type RecordOf } from '../support/collection.ts';

export const ticketStatuses = ['New', 'Active', 'Closed', 'Archived'] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

/** Statuses in which a ticket accepts replies. */
export const openStatuses: TicketStatus[] = ['New', 'Active'];

export const ticketAuthors = ['customer', 'staff'] as const;
export type TicketAuthor = (typeof ticketAuthors)[number];

const messageSchema = defineSchema({
  /** The write id of the reply, or a random id. Internal: callers see the position as the message's number. */
  id: { type: String, required: true },
  /** Absent in messages of customers. */
  author: { type: String, enum: ticketAuthors, allowNull: false },
  userId: { type: Number, required: true },
  /** Empty for messages that were not sent with an API key. */
  keyId: { type: String, required: true },
  text: { type: String, required: true },
  createdAt: { type: Date, required: true },
});

export type TicketMessage = RecordOf<typeof messageSchema>;

/** One write, and the ticket's state after it. Events are made from it. */
const factSchema = defineSchema({
  /** Identifies the write; for a reply, the message's id. */
  id: { type: String, required: true },
  type: { type: String, enum: ['ticket.created', 'ticket.replied', 'ticket.status_changed'], required: true },
  at: { type: Date, required: true },
  status: { type: String, enum: ticketStatuses, required: true },
  previousStatus: { type: String, enum: ticketStatuses, required: true },
  lastReplyBy: { type: String, enum: ticketAuthors, required: true },
  messageCount: { type: Number, required: true },
  isByStaff: { type: Boolean, required: true },
});

export type TicketFact = RecordOf<typeof factSchema>;

/** A search of subjects reads only this index. */
export const subjectIndex = { _id: 1, folded: 1 } as const;

export const assigneeIndex = { assigneeId: 1, status: 1, _id: -1 } as const;

export const openingIndex = { userId: 1, openingNumber: -1 } as const;
export const openingIndexName = 'userId_1_openingNumber_-1';

export const pendingIndex = { 'facts.at': 1 } as const;

const ticketSchema = defineSchema({
  _id: { type: Number, required: true },
  userId: { type: Number, required: true },
  subject: { type: String, required: true },
  folded: { type: String, default: '' },
  status: { type: String, enum: ticketStatuses, required: true },
  lastReplyBy: { type: String, enum: ticketAuthors, required: true },
  serviceName: { type: String, default: null },
  serviceReference: { type: String, default: null },
  serviceType: { type: String, default: null },
  messages: { type: [messageSchema], required: true },
  messageCount: { type: Number, required: true },
  /** UTF-8 size of all messages. */
  messageBytes: { type: Number, required: true },
  /** UTF-8 size of the customer's messages. */
  customerBytes: { type: Number, required: true },
  assigneeId: { type: Number, allowNull: false },
  /** Whether the customer has not read the staff's last message. */
  isUnread: { type: Boolean, allowNull: false },
  /** Whether the staff's last message closed the ticket, and the status has not changed since. */
  isClosedByAnswer: { type: Boolean, allowNull: false },
  createdAt: { type: Date, required: true },
  updatedAt: { type: Date, required: true },
  /**
   * Numbers the owner's openings and reopenings. A unique index makes one of two concurrent openings fail, which then counts
   * again. Absent if an earlier version opened the ticket.
   */
  openingNumber: { type: Number, allowNull: false },
  /** Identifies retries of one request to open the ticket. */
  writeId: { type: String, allowNull: false },
  /** Facts about the ticket's writes, oldest first, until their events are stored; otherwise absent. */
  facts: { type: [factSchema], allowNull: false, default: undefined },
})
  .index({ userId: 1, _id: -1 })
  // For filtered lists of one user's tickets, and of all tickets.
  .index({ userId: 1, status: 1, lastReplyBy: 1, _id: -1 })
  .index({ status: 1, lastReplyBy: 1, _id: -1 })
  // For the staff's queue, longest waiting first.
  .index({ status: 1, lastReplyBy: 1, updatedAt: 1, _id: 1 })
  .index(subjectIndex)
  .index(assigneeIndex, { partialFilterExpression: { assigneeId: { $exists: true } } })
  .index(pendingIndex, { sparse: true })
  .index({ userId: 1, isUnread: 1, status: 1, _id: -1 }, { partialFilterExpression: { isUnread: true } })
  // A unique index must start with the shard key if tickets are sharded by owner.
  .index({ userId: 1, writeId: 1 }, { unique: true, partialFilterExpression: { writeId: { $exists: true } } })
  .index(openingIndex, { unique: true, partialFilterExpression: { openingNumber: { $exists: true } } });

export type TicketRecord = RecordOf<typeof ticketSchema>;

export const summaryFields = { subject: 1, status: 1, createdAt: 1, updatedAt: 1 } as const;

export type TicketSummary = Pick<TicketRecord, '_id' | keyof typeof summaryFields>;

export const defineTickets = (connection: Connection): mongo.Collection<TicketRecord> =>
  defineCollection(connection, 'tickets', ticketSchema);
