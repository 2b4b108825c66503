/** A customer's own tickets on the account page, and how many tickets wait for the signed-in user. */
import { z } from 'zod';
import { closeTicket, findOwnTicket, openOwnTicket, refuseReply, reopenTicket } from '../conversations.ts';
import { NoInput } from '../schemas/common.ts';
import { TicketListQuery, TicketReadQuery } from '../schemas/conversation.ts';
import { OwnTicket, OwnTicketRead, presentOwnTicket, TicketCounts } from '../schemas/desk.ts';
import {
  presentTicketCreated,
  TicketChangeRequest,
  TicketCreated,
  TicketOpenRequest,
  TicketReplied,
  TicketReplyRequest,
} from '../schemas/ticket.ts';
import { isStaff } from '../scopes.ts';
import { storeReply } from '../ticket-writes.ts';
import { router, sessionProcedure } from '../trpc.ts';

const shownMax = 50;

export const accountTicketsRouter = router({
  counts: sessionProcedure
    .input(NoInput)
    .output(TicketCounts)
    .query(async ({ ctx: { models, caller } }) => {
      const [unread, waiting] = await Promise.all([
        models.tickets.countUnread(caller.userId),
        isStaff(caller.session.user) ? models.tickets.countWaiting() : null,
      ]);
      return { unread, waiting };
    }),

  list: sessionProcedure
    .input(TicketListQuery)
    .output(z.object({ tickets: z.array(OwnTicket) }))
    .query(async ({ ctx: { models, caller }, input }) => {
      const filter = { ...input, limit: input.limit ?? shownMax, userId: caller.userId };
      return { tickets: (await models.tickets.search(filter)).map(presentOwnTicket) };
    }),

  get: sessionProcedure
    .meta({ slot: 'large' })
    .input(TicketReadQuery)
    .output(OwnTicketRead)
    .query(async ({ ctx, input }) => {
      const { found, ...shown } = await findOwnTicket(ctx, ctx.caller.userId, input);
      const seen = { ticketId: found._id, number: found.messageCount };
      if (found.isUnread && !shown.has_more) ctx.models.tickets.markRead(seen);
      return { ticket: presentOwnTicket(found), ...shown };
    }),

  create: sessionProcedure
    .input(TicketOpenRequest)
    .output(z.object({ ticket: TicketCreated }))
    .mutation(async ({ ctx, input }) => {
      const author = { userId: ctx.caller.userId, keyId: '' };
      const ticket = await openOwnTicket(ctx, author, input);
      return { ticket: presentTicketCreated(ticket) };
    }),

  reply: sessionProcedure
    .input(TicketReplyRequest)
    .output(TicketReplied)
    .mutation(async ({ ctx, input: { ticket_id, message } }) => {
      const reply = {
        ticketId: ticket_id,
        userId: ctx.caller.userId,
        keyId: '',
        text: message,
        writeId: ctx.writeId,
      };
      refuseReply(await storeReply(ctx, { ...reply, now: new Date(ctx.clock()) }));
      return { ticket_id, status: 'Active' };
    }),

  close: sessionProcedure
    .input(TicketChangeRequest)
    .output(TicketReplied)
    .mutation(async ({ ctx, input: { ticket_id } }) => {
      const { status } = await closeTicket(ctx, ctx.caller.userId, ticket_id);
      return { ticket_id, status };
    }),

  reopen: sessionProcedure
    .input(TicketChangeRequest)
    .output(TicketReplied)
    .mutation(async ({ ctx, input: { ticket_id } }) => {
      const { status } = await reopenTicket(ctx, ctx.caller.userId, ticket_id);
      return { ticket_id, status };
    }),
});
