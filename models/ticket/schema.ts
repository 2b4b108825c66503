/** A support ticket: one document with its whole conversation, so that a reply is one atomic update. */
import type { Connection, mongo } from 'mongoose';
import { defineCollection } from '../support/collection.ts';

export const ticketStatuses = ['New', 'Active', 'Closed', 'Archived'] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

/** Statuses in which a ticket accepts replies. */
export const openStatuses: TicketStatus[] = ['New', 'Active'];

/** The two sides of a conversation. */
export const ticketAuthors = ['customer', 'staff'] as const;
export type TicketAuthor = (typeof ticketAuthors)[number];

export interface TicketMessage {
  /** The write id of the reply, or a random id. Internal: callers see the position as the message's number. */
  id: string;
  /** Absent in messages of customers. */
  author?: TicketAuthor;
  /** Who wrote it. */
  userId: number;
  /** Empty for messages that were not sent with an API key. */
  keyId: string;
  text: string;
  createdAt: Date;
}

/** What a write did, and the ticket as it was then: its events are made of it. */
export interface TicketFact {
  /** Names the write; of a reply, its message's. */
  id: string;
  type: 'ticket.created' | 'ticket.replied' | 'ticket.status_changed';
  at: Date;
  status: TicketStatus;
  previousStatus: TicketStatus;
  lastReplyBy: TicketAuthor;
  messageCount: number;
  isByStaff: boolean;
}

export interface TicketRecord {
  _id: number;
  userId: number;
  subject: string;
  /** The folded subject. */
  folded: string;
  status: TicketStatus;
  lastReplyBy: TicketAuthor;
  serviceName: string | null;
  serviceReference: string | null;
  serviceType: string | null;
  messages: TicketMessage[];
  messageCount: number;
  /** UTF-8 size of all messages. */
  messageBytes: number;
  /** Of the customer's messages. */
  customerBytes: number;
  /** The member of the staff who works on it. */
  assigneeId?: number;
  /** Whether the customer has not read the staff's last message. */
  isUnread?: boolean;
  /** Whether that message closed the ticket, whose status has not changed since. */
  isClosedByAnswer?: boolean;
  createdAt: Date;
  updatedAt: Date;
  /**
   * Numbers what its owner opened and reopened. It is unique for the owner: of two tickets that become open at once, one has to
   * count again. Absent where the ticket was opened by an earlier version.
   */
  openingNumber?: number;
  /** Identifies retries of one request to open the ticket. */
  writeId?: string | undefined;
  /** What its writes did, oldest first, until the events of it are stored; absent where there is nothing. */
  facts?: TicketFact[];
}

export const summaryFields = { subject: 1, status: 1, createdAt: 1, updatedAt: 1 } as const;

/** A ticket without its messages. */
export type TicketSummary = Pick<TicketRecord, '_id' | keyof typeof summaryFields>;

/** Searches of subjects read it alone. */
export const subjectIndex = { _id: 1, folded: 1 } as const;

/** The tickets that a member of the staff works on. */
export const assigneeIndex = { assigneeId: 1, status: 1, _id: -1 } as const;

export const openingIndex = { userId: 1, openingNumber: -1 } as const;
export const openingIndexName = 'userId_1_openingNumber_-1';

export const pendingIndex = { 'facts.at': 1 } as const;

export const defineTickets = (connection: Connection): mongo.Collection<TicketRecord> =>
  defineCollection(connection, 'tickets', [
    [{ userId: 1, _id: -1 }],
    // Filtered lists: of one user, and of all.
    [{ userId: 1, status: 1, lastReplyBy: 1, _id: -1 }],
    [{ status: 1, lastReplyBy: 1, _id: -1 }],
    // The support's queue: those that wait longest first.
    [{ status: 1, lastReplyBy: 1, updatedAt: 1, _id: 1 }],
    [subjectIndex],
    [assigneeIndex, { partialFilterExpression: { assigneeId: { $exists: true } } }],
    [pendingIndex, { sparse: true }],
    [{ userId: 1, isUnread: 1, status: 1, _id: -1 }, { partialFilterExpression: { isUnread: true } }],
    // A unique index must start with the shard key where tickets are sharded by owner.
    [
      { userId: 1, writeId: 1 },
      { unique: true, partialFilterExpression: { writeId: { $exists: true } } },
    ],
    [openingIndex, { unique: true, partialFilterExpression: { openingNumber: { $exists: true } } }],
  ]);
