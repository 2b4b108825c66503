/** Support tickets of the key owner. */
import { z } from 'zod';
import { listedTicketsMax, openTicketsMax } from '../../models/bounds.ts';
import { endpoint, router } from '../trpc.ts';
import {
  ListedTicket,
  presentTicketDetail,
  TicketListQuery,
  TicketRead,
  TicketReadQuery,
} from './conversation-schema.ts';
import {
  closeTicket,
  openOwnTicket,
  readOwnTicket,
  reopenTicket,
  requireReplied,
  ticketArchived,
  ticketClosed,
  ticketTextNotice,
} from './conversations.ts';
import {
  presentTicket,
  presentTicketCreated,
  Ticket,
  TicketChangeRequest,
  TicketCreated,
  TicketCreateRequest,
  TicketReplied,
  TicketReplyRequest,
} from './ticket-schema.ts';

export const ticketsRouter = router({
  list: endpoint({
    route: 'GET /tickets',
    scope: 'read:account',
    tag: 'Tickets',
    pagination: { list: 'tickets', parameter: 'before', field: 'id', size: 'limit', more: null },
    links: { getTicket: 'tickets.0.id' },
    summary: 'List my tickets',
    description:
      `Lists the key owner's support tickets, newest first, up to ${listedTicketsMax}. ` +
      'Use it to find a ticket; awaiting=customer lists only those that the staff answered: open tickets, and closed ones whose last answer is unread. ' +
      'With any query parameter, each ticket also has last_reply_by, message_count and its service.',
    refusals: { bad_request: 'A filter is not valid.' },
    tool: {
      name: 'list_my_tickets',
      foreignText: ticketTextNotice,
      foreignTextAt: 'tickets',
      description:
        "Lists the user's tickets, newest first. With any argument each ticket also has last_reply_by; awaiting=customer lists those that support answered.",
    },
  })
    .input(TicketListQuery.optional())
    .output(z.object({ tickets: z.array(ListedTicket).describe('Newest first.') }))
    .query(async ({ ctx: { models, caller }, input }) => {
      const { userId } = caller;
      if (!input || Object.keys(input).length === 0)
        return { tickets: (await models.tickets.list(userId)).map(presentTicket) };
      const found = await models.tickets.search({ ...input, userId, limit: input.limit ?? listedTicketsMax });
      return { tickets: found.map(presentTicketDetail) };
    }),

  get: endpoint({
    route: 'GET /tickets/{ticket_id}',
    scope: 'read:account',
    slot: 'large',
    tag: 'Tickets',
    pagination: { list: 'messages', parameter: 'after', field: 'number', size: 'limit', more: 'has_more' },
    links: { replyToTicket: 'ticket.id' },
    summary: 'Read a ticket',
    description:
      "Shows one of the key owner's tickets with the messages by the owner and the staff, oldest first. " +
      'Use it before you reply, or to see whether the staff answered. To follow a conversation, request the messages after the last number you have.',
    refusals: { missing: ['Ticket'] },
    tool: {
      name: 'get_ticket',
      foreignText: ticketTextNotice,
      description: 'Reads a ticket and its messages, oldest first. For new messages only, send after.',
    },
  })
    .input(TicketReadQuery)
    .output(TicketRead)
    .query(({ ctx, input }) => readOwnTicket(ctx, ctx.caller.userId, input)),

  create: endpoint({
    route: 'POST /tickets',
    undo: 'none',
    scope: 'write:tickets',
    status: 201,
    tag: 'Tickets',
    links: { getTicket: 'ticket.id' },
    summary: 'Open a ticket',
    description:
      'Creates a support ticket with its first message. Use it for a new matter; reply instead if a ticket about it is open. The ticket is New and belongs to the key owner, who may open a limited number in 24 hours. A ticket can be closed but not deleted.',
    refusals: {
      bad_request: `The title or the message is missing, empty, too long or has control characters, or the owner has ${openTicketsMax} open tickets.`,
    },
    tool: {
      name: 'create_ticket',
      description:
        "Opens a ticket with the host's support. First look in list_my_tickets for an open one about the same matter, and reply to that instead. get_ticket shows the answer; close_ticket closes the ticket.",
    },
  })
    .input(TicketCreateRequest)
    .output(z.object({ ticket: TicketCreated }).meta({ title: 'TicketCreateResult' }))
    .mutation(async ({ ctx, input }) => {
      const ticket = await openOwnTicket(ctx, ctx.caller, input);
      return { ticket: presentTicketCreated(ticket) };
    }),

  reply: endpoint({
    route: 'POST /tickets/{ticket_id}/reply',
    undo: 'none',
    scope: 'write:tickets',
    status: 201,
    tag: 'Tickets',
    summary: 'Reply to a ticket',
    description:
      "Creates a message in one of the key owner's open tickets, which becomes Active. Use it to answer support or to add details; a closed ticket must be reopened first.",
    refusals: {
      bad_request: {
        when: 'The message is empty or too long, or the ticket is closed, archived or full.',
        example: ticketClosed(),
      },
      missing: ['Ticket'],
    },
    tool: {
      name: 'reply_to_ticket',
      description:
        'Adds a message to an open ticket; this cannot be undone. Call get_ticket first: support may have answered or closed it.',
    },
  })
    .input(TicketReplyRequest)
    .output(TicketReplied)
    .mutation(async ({ ctx, input: { ticket_id, message } }) => {
      const { userId, keyId } = ctx.caller;
      const result = await ctx.models.tickets.reply({
        ticketId: ticket_id,
        userId,
        keyId,
        text: message,
        now: new Date(ctx.clock()),
        writeId: ctx.writeId,
      });
      requireReplied(result);
      return { ticket_id, status: 'Active' };
    }),

  close: endpoint({
    route: 'POST /tickets/{ticket_id}/close',
    undo: 'call',
    scope: 'write:tickets',
    tag: 'Tickets',
    summary: 'Close a ticket',
    description:
      "Closes one of the key owner's tickets. Use it when the matter is resolved. Closing is idempotent, and reopening undoes it until the ticket is archived.",
    refusals: {
      bad_request: { when: 'The ticket is archived.', example: ticketArchived() },
      missing: ['Ticket'],
    },
    tool: {
      name: 'close_ticket',
      idempotent: true,
      foreignText: ticketTextNotice,
      description: 'Closes a ticket that is resolved; reopen_ticket undoes it.',
    },
  })
    .input(TicketChangeRequest)
    .output(z.object({ ticket: Ticket }))
    .mutation(({ ctx, input }) => closeTicket(ctx, { userId: ctx.caller.userId, id: input.ticket_id })),

  reopen: endpoint({
    route: 'POST /tickets/{ticket_id}/reopen',
    undo: 'call',
    scope: 'write:tickets',
    tag: 'Tickets',
    summary: 'Reopen a ticket',
    description:
      "Reopens one of the key owner's closed tickets, which becomes Active. Use it when the problem is back, rather than creating another ticket. It is idempotent: an open ticket does not change. Closing undoes it.",
    refusals: {
      bad_request: {
        when: `The ticket is archived, or the owner has ${openTicketsMax} open tickets.`,
        example: ticketArchived(),
      },
      missing: ['Ticket'],
    },
    tool: {
      name: 'reopen_ticket',
      idempotent: true,
      foreignText: ticketTextNotice,
      description: 'Reopens a closed ticket that is not archived; close_ticket undoes it.',
    },
  })
    .input(TicketChangeRequest)
    .output(z.object({ ticket: Ticket }))
    .mutation(({ ctx, input }) => reopenTicket(ctx, { userId: ctx.caller.userId, id: input.ticket_id })),
});
