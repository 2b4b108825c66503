/** Support tickets of the key owner: list, open, answer. */
import { z } from 'zod';
import { listedTicketsMax } from '../models/ticket-listing.ts';
import { badRequest, notFound } from './errors.ts';
import { Nothing } from './shapes/nothing.ts';
import {
  presentTicket,
  presentTicketCreated,
  Ticket,
  TicketCreated,
  TicketCreateRequest,
  TicketReplied,
  TicketReplyRequest,
} from './shapes/ticket.ts';
import { endpoint, readHints, router } from './trpc.ts';

const writeHints = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const;

export const ticketsRouter = router({
  list: endpoint({
    scope: 'read:account',
    status: 200,
    openapi: {
      method: 'GET',
      path: '/tickets',
      tags: ['Tickets'],
      summary: 'List my tickets',
      description: `Lists the key owner's support tickets, newest first, ${listedTicketsMax} at the most.`,
    },
    tool: { name: 'list_my_tickets', title: 'List my tickets', ...readHints },
  })
    .input(Nothing)
    .output(z.object({ tickets: z.array(Ticket) }))
    .query(async ({ ctx }) => {
      const tickets = await ctx.models.tickets.list(ctx.caller.userId);
      return { tickets: tickets.map(presentTicket) };
    }),

  create: endpoint({
    scope: 'write:tickets',
    status: 201,
    openapi: {
      method: 'POST',
      path: '/tickets',
      tags: ['Tickets'],
      summary: 'Open a ticket',
      description:
        'Opens a support ticket with its first message. The ticket is New and belongs to the key owner.',
    },
    refusals: { bad_request: 'The title or the message is missing, empty or too long.' },
    tool: { name: 'create_ticket', title: 'Open a ticket', ...writeHints },
  })
    .input(TicketCreateRequest)
    .output(z.object({ ticket: TicketCreated }))
    .mutation(async ({ ctx, input }) => {
      const ticket = await ctx.models.tickets.open({
        userId: ctx.caller.userId,
        keyId: ctx.caller.keyId,
        // The shape has proved that one of the two is there.
        subject: input.title ?? input.subject ?? '',
        text: input.message,
        serviceName: input.service_name ?? null,
        serviceReference: input.service_reference ?? null,
        serviceType: input.service_type ?? null,
        now: new Date(ctx.clock()),
        writeId: ctx.writeId,
      });
      return { ticket: presentTicketCreated(ticket) };
    }),

  reply: endpoint({
    scope: 'write:tickets',
    status: 201,
    openapi: {
      method: 'POST',
      path: '/tickets/{ticket_id}/reply',
      tags: ['Tickets'],
      summary: 'Reply to a ticket',
      description: "Adds a message to one of the key owner's open tickets, which becomes Active.",
    },
    refusals: {
      bad_request: 'The message is empty or too long, or the ticket is closed or archived.',
      not_found: {
        when: 'There is no such ticket, or it belongs to somebody else.',
        message: 'Ticket not found',
      },
    },
    tool: { name: 'reply_to_ticket', title: 'Reply to a ticket', ...writeHints },
  })
    .input(TicketReplyRequest)
    .output(TicketReplied)
    .mutation(async ({ ctx, input: { ticket_id, message } }) => {
      const { userId, keyId } = ctx.caller;
      const now = new Date(ctx.clock());
      const outcome = await ctx.models.tickets.reply({
        ticketId: ticket_id,
        userId,
        keyId,
        text: message,
        now,
        writeId: ctx.writeId,
      });
      if (outcome === 'not_found') throw notFound('Ticket');
      if (outcome === 'closed') throw badRequest('The ticket is closed or archived and takes no replies');
      if (outcome === 'full') throw badRequest('The ticket is full; open a new one');
      return { ticket_id, status: 'Active' };
    }),
});
