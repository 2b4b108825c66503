/** A customer's own tickets on the account page, which knows what was read; and how many tickets wait for the signed-in user. */
import { z } from 'zod';
import { findOwnTicket } from '../conversations.ts';
import { NoInput } from '../schemas/common.ts';
import { TicketListQuery, TicketReadQuery } from '../schemas/conversation.ts';
import { OwnTicket, OwnTicketRead, presentOwnTicket, TicketCounts } from '../schemas/desk.ts';
import { isStaff } from '../scopes.ts';
import { ticketsRouter } from '../tickets.ts';
import { router, sessionProcedure } from '../trpc.ts';

const { create, reply, close, reopen } = ticketsRouter;

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
      const filter = { ...input, limit: input.limit ?? 50, userId: caller.userId };
      return { tickets: (await models.tickets.search(filter)).map(presentOwnTicket) };
    }),

  get: sessionProcedure
    .meta({ slot: 'large' })
    .input(TicketReadQuery)
    .output(OwnTicketRead)
    .query(async ({ ctx, input }) => {
      const { found, ...shown } = await findOwnTicket(ctx, ctx.caller.userId, input);
      return { ticket: presentOwnTicket(found), ...shown };
    }),
  create,
  reply,
  close,
  reopen,
});
