/** Wire schemas for ticket conversations, in the customer's and the staff's view. */
import { z } from 'zod';
import { listedTicketsMax, pageSizeMax } from '../../models/bounds.ts';
import type { NumberedText } from '../../models/staff-texts.ts';
import type { NumberedMessage, TicketDetail as StoredDetail } from '../../models/ticket/read.ts';
import { ticketAuthors, ticketStatuses } from '../../models/ticket/schema.ts';
import type { UserRecord } from '../../models/user.ts';
import { dateTime, describedLike, integer, presentMoment } from '../schemas/common.ts';
import { Me } from '../schemas/me.ts';
import { createPick } from '../schemas/pick.ts';
import { filledLine, filledProse } from '../schemas/text.ts';
import { exampleTicket, Ticket, TicketCreateRequest, TicketId, TicketReplyRequest } from './ticket-schema.ts';

const author = z.enum(ticketAuthors);

const exampleMessage = {
  number: 2,
  author: 'staff' as const,
  name: 'Robin',
  message: 'We have moved your server to another machine. Is it better now?',
  created_at: '2026-11-21T10:15:00.000Z',
};

export const Message = z
  .object({
    number: z.int().describe('Its position in the ticket, counted from 1; it never changes.'),
    author: author.describe("Whether the customer or the host's staff wrote it."),
    name: z.string().describe('The nickname of the author; Support or Customer if the author has none.'),
    message: z.string().describe('The text of the message.'),
    created_at: dateTime.describe('When it was sent.'),
  })
  .meta({ title: 'TicketMessage', description: 'A message of a ticket.', examples: [exampleMessage] });

const exampleDetail = {
  ...exampleTicket,
  last_reply_by: 'staff' as const,
  message_count: 2,
  service_name: 'Survival',
  service_reference: 'a1b2c3d4',
  service_type: 'minecraft',
};

export const TicketDetail = Ticket.extend({
  last_reply_by: author.describe('The author of the last message.'),
  message_count: z.int().describe('How many messages it has.'),
  ...describedLike(TicketCreateRequest, {
    service_name: z.string().nullable(),
    service_reference: z.string().nullable(),
    service_type: z.string().nullable(),
  }),
}).meta({
  title: 'TicketDetail',
  description: 'The ticket without its messages.',
  examples: [exampleDetail],
});

/** A list without a query shows only the fields of `Ticket`. */
export const ListedTicket = TicketDetail.partial({
  last_reply_by: true,
  message_count: true,
  service_name: true,
  service_reference: true,
  service_type: true,
}).meta({
  title: 'ListedTicket',
  description: 'A ticket, with more fields if the request had a query parameter.',
  examples: [exampleTicket, exampleDetail],
});

const exampleOwned = { ...exampleDetail, user: { id: 42, email: 'dana@example.com', nickname: 'dana' } };

export const OwnedTicket = TicketDetail.extend({
  user: z
    .object({
      id: z.int().describe('Identifies the customer.'),
      email: z.string().describe("The customer's e-mail address."),
      nickname: Me.shape.nickname,
    })
    .describe('The customer who opened it. The email of a deleted customer is "deleted user".'),
}).meta({
  title: 'OwnedTicket',
  description: 'The ticket and its customer, without its messages.',
  examples: [exampleOwned],
});

const Colleague = z
  .object({
    id: z.int().describe('Identifies the member of the staff.'),
    nickname: z.string().nullable().describe('The name that customers see; null if they see Support.'),
  })
  .describe('A member of the staff.');
const exampleColleague = { id: 7, nickname: 'Robin' };

export const AdminTicket = OwnedTicket.extend({
  assignee: Colleague.nullable().describe('The member of the staff who works on it; null if no one does.'),
}).meta({
  title: 'AdminTicket',
  description: 'The ticket, its customer and its assignee.',
  examples: [{ ...exampleOwned, assignee: exampleColleague }],
});

export const Note = z
  .object({
    number: z.int().describe('Its position in the ticket, counted from 1; it never changes.'),
    author: Colleague.describe('The member of the staff who wrote it.'),
    note: z.string().describe('The text of the note.'),
    created_at: dateTime.describe('When it was written.'),
  })
  .meta({
    title: 'TicketNote',
    description: 'A note that only the staff sees.',
    examples: [
      {
        number: 1,
        author: exampleColleague,
        note: 'Asked the same last week.',
        created_at: exampleMessage.created_at,
      },
    ],
  });

const filters = {
  status: z.enum(ticketStatuses).describe('Only tickets with this status.').optional(),
  awaiting: author
    .describe('Only open tickets that wait for this side: the other side wrote last.')
    .optional(),
  before: integer(1).describe('The last id on the previous page.').optional(),
};

export const TicketListQuery = z.strictObject({
  ...filters,
  awaiting: author
    .describe(
      'Only tickets that wait for this side. customer also lists unread answers that closed their ticket.',
    )
    .optional(),
  // Not default(): with any parameter, the tickets have more fields.
  limit: integer(1, listedTicketsMax)
    .meta({ default: listedTicketsMax, description: 'How many to return.' })
    .optional(),
});

export const AdminTicketListQuery = z
  .strictObject({
    ...filters,
    user_id: integer(1).describe('Only tickets of this user.').optional(),
    assignee: z
      .enum(['me', 'none'])
      .describe('Only tickets that the caller works on (me), or that no one works on (none).')
      .optional(),
    search: filledLine(200)
      .describe(
        "Only tickets whose subject contains each of these words (up to 8), ignoring case and accents, among the newest 100,000. The ticket with this number comes first; #12 finds only that ticket. A word with @ is the beginning of a customer's e-mail address.",
      )
      .optional(),
    sort: z
      .enum(['newest', 'waiting'])
      .default('newest')
      .describe(
        'waiting: only open tickets, starting with the one that has waited longest for a reply from the staff, or from the side in awaiting. Cannot be combined with before or search.',
      ),
    limit: integer(1, listedTicketsMax).default(50).describe('How many to return.'),
  })
  .check(
    z.refine(({ sort, before }) => sort !== 'waiting' || before === undefined, {
      path: ['before'],
      error: 'cannot be given with sort=waiting',
    }),
    z.refine(({ sort, search }) => sort !== 'waiting' || search === undefined, {
      path: ['search'],
      error: 'cannot be given with sort=waiting',
    }),
  );

export const TicketReadQuery = z
  .strictObject({
    ticket_id: TicketId,
    after: integer(0).default(0).describe('Only messages with a higher number.'),
    limit: integer(1, pageSizeMax).default(50).describe('How many to return, within 512 KiB.'),
  })
  .meta({ examples: [{ ticket_id: 1 }] });

export const TicketAnswerRequest = TicketReplyRequest.extend({
  close: z.boolean().default(false).describe('Whether to close the ticket with this answer.'),
}).meta({
  title: 'TicketAnswerRequest',
  examples: [{ ticket_id: 1, message: 'Your server runs on a faster machine now.', close: true }],
});

export const TicketAssignRequest = z
  .strictObject({
    ticket_id: TicketId,
    assigned: z.boolean().describe('true: the caller works on it from now on; false: no one does.'),
    expected: integer(1)
      .nullable()
      .optional()
      .describe(
        'The id of the assignee that the caller last saw; null (in a tool: none) for no one. If it differs, the call fails with conflict.',
      ),
  })
  .meta({ title: 'TicketAssignRequest', examples: [{ ticket_id: 1, assigned: true, expected: null }] });

export const TicketNoteRequest = z
  .strictObject({
    ticket_id: TicketId,
    note: filledProse(10_000).describe('The text: 1 to 10,000 characters.'),
  })
  .meta({
    title: 'TicketNoteRequest',
    examples: [{ ticket_id: 1, note: 'Asked the same last week.' }],
  });

const settableStatuses = ['Active', 'Closed', 'Archived'] as const;

const SettableStatus = z.enum(settableStatuses, {
  error: ({ input }) => (input === undefined ? 'is required' : undefined),
});

export const TicketStatusRequest = z
  .strictObject({
    ticket_id: TicketId,
    status: SettableStatus.describe('The new status; Archived is final.'),
  })
  .meta({ title: 'TicketStatusRequest', examples: [{ ticket_id: 1, status: 'Archived' }] });

const page = {
  messages: z.array(Message).describe('Oldest first.'),
  has_more: z.boolean().describe('Whether there are later messages.'),
};

export const TicketRead = z
  .object({ ticket: TicketDetail, ...page })
  .meta({ title: 'TicketConversation', description: 'A ticket with a page of its messages.' });

export const AdminTicketRead = z
  .object({ ticket: AdminTicket, ...page, notes: z.array(Note).describe('Oldest first.') })
  .meta({
    title: 'AdminTicketConversation',
    description: 'A ticket with a page of its messages and all its notes.',
  });

const defaultNames = { customer: 'Customer', staff: 'Support' };

const deletedUser = 'deleted user';

/** Deleted staff keep the name Support. */
const deletedNames = { customer: deletedUser, staff: defaultNames.staff };

export const presentMessage = (
  message: NumberedMessage,
  user: UserRecord | null,
): z.infer<typeof Message> => ({
  number: message.number,
  author: message.author,
  name: user ? user.nickname?.trim() || defaultNames[message.author] : deletedNames[message.author],
  message: message.text,
  created_at: presentMoment(message.createdAt),
});

export const presentTicketDetail: (ticket: StoredDetail) => z.infer<typeof TicketDetail> =
  createPick(TicketDetail);

export type UsersById = ReadonlyMap<number, UserRecord | null>;

const presentPerson = (id: number, users: UsersById): z.infer<typeof Colleague> => ({
  id,
  nickname: users.get(id)?.nickname ?? null,
});

export const presentAdminTicket = (ticket: StoredDetail, users: UsersById): z.infer<typeof AdminTicket> => ({
  ...presentTicketDetail(ticket),
  user: { ...presentPerson(ticket.userId, users), email: users.get(ticket.userId)?.email ?? deletedUser },
  assignee: ticket.assigneeId === undefined ? null : presentPerson(ticket.assigneeId, users),
});

export const presentNote = (
  { number, userId, text, createdAt }: NumberedText,
  users: UsersById,
): z.infer<typeof Note> => ({
  number,
  author: presentPerson(userId, users),
  note: text,
  created_at: presentMoment(createdAt),
});
