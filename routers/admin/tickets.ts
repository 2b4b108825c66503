/** All customers' tickets, for the host's staff to read and answer. */
import { z } from 'zod';
import {
  AdminTicket,
  AdminTicketListQuery,
  AdminTicketRead,
  Note,
  TicketAnswerRequest,
  TicketAssignRequest,
  TicketNoteRequest,
  TicketReadQuery,
  TicketStatusRequest,
} from '../tickets/conversation-schema.ts';
import {
  answerTicket,
  assignTicket,
  noteTicket,
  presentAdminTickets,
  readAnyTicket,
  setTicketStatus,
  ticketClosed,
  ticketTaken,
  ticketTextNotice,
} from '../tickets/conversations.ts';
import { findAnyTickets } from '../tickets/search.ts';
import { TicketReplied } from '../tickets/ticket-schema.ts';
import { endpoint } from '../trpc.ts';

export const adminTickets = {
  listTickets: endpoint({
    route: 'GET /admin/tickets',
    scope: 'admin:tickets',
    tag: 'Support',
    pagination: { list: 'tickets', parameter: 'before', field: 'id', size: 'limit', more: null },
    summary: 'List tickets of all customers',
    description:
      "Lists all customers' tickets, newest first. Use it to find tickets that wait for staff: awaiting=staff lists only open tickets in which the customer wrote last. With sort=waiting, those that have waited longest come first.",
    refusals: { bad_request: 'A filter is not valid.' },
    tool: {
      name: 'list_customer_tickets',
      foreignText: ticketTextNotice,
      foreignTextAt: 'tickets',
    },
  })
    .input(AdminTicketListQuery)
    .output(z.object({ tickets: z.array(AdminTicket).describe('In the requested order.') }))
    .query(async ({ ctx: { models, caller }, input: { assignee, ...query } }) => {
      const assigneeId = assignee && { me: caller.userId, none: null }[assignee];
      const tickets = await findAnyTickets(models, { ...query, assigneeId });
      return { tickets: await presentAdminTickets(models, tickets) };
    }),

  getTicket: endpoint({
    route: 'GET /admin/tickets/{ticket_id}',
    scope: 'admin:tickets',
    slot: 'large',
    tag: 'Support',
    pagination: { list: 'messages', parameter: 'after', field: 'number', size: 'limit', more: 'has_more' },
    summary: 'Read any ticket',
    description:
      'Shows any ticket with its messages, oldest first, and the notes that only staff see. Use it before you answer or assign a ticket, or add a note to it.',
    refusals: { missing: ['Ticket'] },
    tool: { name: 'get_customer_ticket', foreignText: ticketTextNotice },
  })
    .input(TicketReadQuery)
    .output(AdminTicketRead)
    .query(({ ctx, input }) => readAnyTicket(ctx, input)),

  answerTicket: endpoint({
    route: 'POST /admin/tickets/{ticket_id}/reply',
    undo: 'none',
    scope: 'admin:tickets',
    status: 201,
    tag: 'Support',
    summary: 'Answer a ticket',
    description:
      'Creates a staff message in an open ticket, which becomes Active, or Closed if close is true. Use it to answer the customer; for a remark among staff, add a note instead. ' +
      'The customer sees the nickname of the key owner, or Support if there is none.',
    refusals: {
      bad_request: {
        when: 'The message is empty or too long, or the ticket is closed, archived or full.',
        example: ticketClosed(),
      },
      missing: ['Ticket'],
    },
    tool: {
      name: 'answer_customer_ticket',
      description:
        "Answers a customer's open ticket, as staff; this cannot be undone. Call list_customer_tickets with awaiting=staff for the tickets that wait, and get_customer_ticket before you answer one.",
    },
  })
    .input(TicketAnswerRequest)
    .output(TicketReplied)
    .mutation(({ ctx, input }) => answerTicket(ctx, ctx.caller, input)),

  setTicketStatus: endpoint({
    route: 'POST /admin/tickets/{ticket_id}/status',
    undo: 'call',
    scope: 'admin:tickets',
    tag: 'Support',
    summary: 'Set the status of a ticket',
    description:
      'Updates the status of any ticket to Active, Closed or Archived. Use it to close or reopen a ticket without an answer, or to archive it. Setting the previous status undoes it, except for Archived.',
    refusals: {
      bad_request: 'The status is not one of the three, or the ticket is already archived.',
      missing: ['Ticket'],
    },
    tool: {
      name: 'set_customer_ticket_status',
      foreignText: ticketTextNotice,
      idempotent: true,
    },
  })
    .input(TicketStatusRequest)
    .output(z.object({ ticket: AdminTicket }))
    .mutation(({ ctx, input }) => setTicketStatus(ctx, input)),

  assignTicket: endpoint({
    route: 'POST /admin/tickets/{ticket_id}/assign',
    undo: 'call',
    scope: 'admin:tickets',
    tag: 'Support',
    summary: 'Take or release a ticket',
    description:
      'Assigns a ticket to the caller, or releases it; each undoes the other, and customers see neither. Use it before you answer, so that no colleague does the same work. It is idempotent; with `expected`, it succeeds only if no one else has taken or released the ticket meanwhile.',
    refusals: {
      bad_request: 'A field is missing or not valid.',
      missing: ['Ticket'],
      conflict: { when: 'Someone other than `expected` works on the ticket.', example: ticketTaken() },
    },
    tool: { name: 'assign_customer_ticket', foreignText: ticketTextNotice, idempotent: true },
  })
    .input(TicketAssignRequest)
    .output(z.object({ ticket: AdminTicket }))
    .mutation(({ ctx, input: { assigned, ...request } }) =>
      assignTicket(ctx, { ...request, to: assigned ? ctx.caller.userId : null }),
    ),

  noteTicket: endpoint({
    route: 'POST /admin/tickets/{ticket_id}/notes',
    undo: 'none',
    scope: 'admin:tickets',
    status: 201,
    tag: 'Support',
    summary: 'Add a note to a ticket',
    description:
      'Creates a note that only staff see, on a ticket of any status. Use it to leave colleagues a remark that the customer should not read. A note cannot be changed or deleted.',
    refusals: {
      bad_request: 'The note is empty or too long, or the ticket has 100 notes or 128 KiB of them.',
      missing: ['Ticket'],
    },
    tool: { name: 'note_customer_ticket' },
  })
    .input(TicketNoteRequest)
    .output(z.object({ note: Note }))
    .mutation(({ ctx, input }) => noteTicket(ctx, ctx.caller.userId, input)),
};
