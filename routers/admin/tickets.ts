/** All customers' tickets, as the host's staff reads and answers them. */
import { z } from 'zod';
import {
  answerTicket,
  listAnyTickets,
  readAnyTicket,
  setTicketStatus,
  ticketText,
} from '../conversations.ts';
import {
  AdminTicket,
  AdminTicketListQuery,
  AdminTicketRead,
  TicketAnswerRequest,
  TicketReadQuery,
  TicketStatusRequest,
} from '../schemas/conversation.ts';
import { TicketReplied } from '../schemas/ticket.ts';
import { endpoint } from '../trpc.ts';

const ticketNotFound = { when: 'There is no such ticket.', message: 'Ticket not found' };

export const adminTickets = {
  listTickets: endpoint({
    scope: 'admin:tickets',
    status: 200,
    openapi: {
      method: 'GET',
      path: '/admin/tickets',
      tags: ['Support'],
      summary: 'List tickets of all customers',
      description:
        "Lists all customers' tickets, newest first. With awaiting=staff, only open tickets that are waiting for a reply; with sort=waiting, those that have waited longest first.",
    },
    refusals: { bad_request: 'A filter is not valid.' },
    tool: {
      name: 'list_customer_tickets',
      foreignText: ticketText,
    },
  })
    .input(AdminTicketListQuery)
    .output(z.object({ tickets: z.array(AdminTicket).describe('In the order asked for.') }))
    .query(({ ctx, input }) => listAnyTickets(ctx, input)),

  getTicket: endpoint({
    scope: 'admin:tickets',
    status: 200,
    slot: 'large',
    auditsOwner: true,
    openapi: {
      method: 'GET',
      path: '/admin/tickets/{ticket_id}',
      tags: ['Support'],
      summary: 'Read any ticket',
      description: 'Shows any ticket with its messages, oldest first, and the customer who opened it.',
    },
    refusals: { not_found: ticketNotFound },
    tool: { name: 'get_customer_ticket', foreignText: ticketText },
  })
    .input(TicketReadQuery)
    .output(AdminTicketRead)
    .query(({ ctx, input }) => readAnyTicket(ctx, input)),

  answerTicket: endpoint({
    scope: 'admin:tickets',
    status: 201,
    auditsOwner: true,
    openapi: {
      method: 'POST',
      path: '/admin/tickets/{ticket_id}/reply',
      tags: ['Support'],
      summary: 'Answer a ticket',
      description:
        'Adds a staff message to an open ticket, which becomes Active, or Closed if close is true. ' +
        'The customer sees the nickname of the key owner, or Support if there is none. An answer cannot be undone.',
    },
    refusals: {
      bad_request: 'The message is empty or too long, or the ticket is closed, archived or full.',
      not_found: ticketNotFound,
    },
    tool: {
      name: 'answer_customer_ticket',
      description:
        'Answers an open ticket of a customer, as the staff; it cannot be undone. Call list_customer_tickets with awaiting=staff for the tickets that wait, and get_customer_ticket before you answer one.',
    },
  })
    .input(TicketAnswerRequest)
    .output(TicketReplied)
    .mutation(({ ctx, input }) => answerTicket(ctx, ctx.caller, input)),

  setTicketStatus: endpoint({
    scope: 'admin:tickets',
    status: 200,
    auditsOwner: true,
    openapi: {
      method: 'POST',
      path: '/admin/tickets/{ticket_id}/status',
      tags: ['Support'],
      summary: 'Set the status of a ticket',
      description:
        'Sets any ticket to Active, Closed or Archived. Setting the previous status undoes it, except for Archived.',
    },
    refusals: {
      bad_request: 'The status is not one of the three, or the ticket is already archived.',
      not_found: ticketNotFound,
    },
    tool: {
      name: 'set_customer_ticket_status',
      foreignText: ticketText,
      idempotent: true,
    },
  })
    .input(TicketStatusRequest)
    .output(z.object({ ticket: AdminTicket }))
    .mutation(({ ctx, input }) => setTicketStatus(ctx, input)),
};
