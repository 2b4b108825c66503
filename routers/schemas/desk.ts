/** Tickets as the account page alone shows them: what the customer has not seen, and what only the staff sees. */
import { z } from 'zod';
import { pageSizeMax, staffTextLengthMax } from '../../models/bounds.ts';
import type { StaffText } from '../../models/staff-texts.ts';
import type { TicketDetail as StoredDetail } from '../../models/ticket/read.ts';
import type { UserRecord } from '../../models/user.ts';
import { dateTime, integer, presentMoment } from './common.ts';
import {
  AdminTicket,
  AdminTicketRead,
  Message,
  presentAdminTicket,
  presentTicketDetail,
  TicketAnswerRequest,
  TicketDetail,
  TicketRead,
} from './conversation.ts';
import { ServerPath } from './server.ts';
import { filledExactText, filledLine, filledProse } from './text.ts';
import { TicketChangeRequest, TicketId } from './ticket.ts';

export const OwnTicket = TicketDetail.extend({
  is_unread: z.boolean().describe("Whether the staff's last message was not shown on the page yet."),
});

export const OwnTicketRead = TicketRead.extend({ ticket: OwnTicket });

export const presentOwnTicket = (ticket: StoredDetail): z.infer<typeof OwnTicket> => ({
  ...presentTicketDetail(ticket),
  is_unread: ticket.isUnread ?? false,
});

export const TicketCounts = z.object({
  unread: z.int().max(pageSizeMax).describe(`Of the user's tickets, at most ${pageSizeMax}.`),
  waiting: z
    .int()
    .max(pageSizeMax)
    .nullable()
    .describe("Of all customers' tickets; null for who is not staff."),
});

export const DeskTicket = AdminTicket.extend({
  assignee: z.object({ id: z.int(), name: z.string() }).nullable().describe('Who of the staff works on it.'),
});

const Note = z.object({ id: z.string(), name: z.string(), text: z.string(), created_at: dateTime });

export const DeskTicketRead = AdminTicketRead.extend({
  ticket: DeskTicket,
  messages: z.array(Message.extend({ is_own: z.boolean().describe('Whether the signed-in user wrote it.') })),
  notes: z.array(Note).describe('Oldest first. No customer sees them.'),
});

export const DeskAnswerRequest = TicketAnswerRequest.extend({
  seen: integer()
    .min(1)
    .describe('The number of the last message shown: a later one refuses the answer.')
    .optional(),
});

export const NoteRequest = z.strictObject({ ticket_id: TicketId, text: filledProse(staffTextLengthMax) });

export const AssignRequest = z.strictObject({
  ticket_id: TicketId,
  from: integer().min(1).nullable().describe('Who works on it as far as the page shows.'),
});

export const CustomerServersQuery = TicketChangeRequest.extend({
  all: z.boolean().default(false).describe('Whether to show more than the first ones.'),
});

export const CustomerServerPath = ServerPath.extend({ ticket_id: TicketId });

export const SavedAnswer = z.object({ id: z.string(), title: z.string(), text: z.string() });

export const SavedAnswerRequest = z.strictObject({
  title: filledLine(100),
  text: filledProse(staffTextLengthMax),
});

export const SavedAnswerPath = z.strictObject({ id: filledExactText(100) });

type UsersById = ReadonlyMap<number, UserRecord | null>;

/** For colleagues, who may know each other's address. */
const nameOf = (user: UserRecord | null | undefined) =>
  user ? user.nickname?.trim() || user.email : 'deleted user';

export const presentDeskTicket = (ticket: StoredDetail, users: UsersById): z.infer<typeof DeskTicket> => ({
  ...presentAdminTicket(ticket, users.get(ticket.userId) ?? null),
  assignee:
    ticket.assigneeId === undefined
      ? null
      : { id: ticket.assigneeId, name: nameOf(users.get(ticket.assigneeId)) },
});

export const presentNote = (
  { id, userId, text, createdAt }: StaffText,
  users: UsersById,
): z.infer<typeof Note> => ({
  id,
  name: nameOf(users.get(userId)),
  text,
  created_at: presentMoment(createdAt),
});
