/** Unlike the API, the account page shows whether a ticket has an unread answer, and how many tickets wait for the user. */
import { z } from 'zod';
import { pageSizeMax } from '../../models/bounds.ts';
import type { TicketDetail as StoredDetail } from '../../models/ticket/read.ts';
import { NoInput } from '../schemas/common.ts';
import { isStaff } from '../scopes.ts';
import {
  presentTicketDetail,
  TicketDetail,
  TicketListQuery,
  TicketRead,
  TicketReadQuery,
} from '../tickets/conversation-schema.ts';
import { findOwnTicket } from '../tickets/conversations.ts';
import { ticketsRouter } from '../tickets/tickets.ts';
import { router, sessionProcedure } from '../trpc.ts';

const { create, reply, close, reopen } = ticketsRouter;

const OwnTicket = TicketDetail.extend({
  is_unread: z.boolean().describe('Whether the page has not yet shown the last message from staff.'),
});

const presentOwnTicket = (ticket: StoredDetail): z.infer<typeof OwnTicket> => ({
  ...presentTicketDetail(ticket),
  is_unread: ticket.isUnread ?? false,
});

const Count = z.int().max(pageSizeMax);

export const accountTicketsRouter = router({
  counts: sessionProcedure
    .input(NoInput)
    .output(
      z.object({
        unread: Count.describe(`The user's unread tickets, counted up to ${pageSizeMax}.`),
        waiting: Count.nullable().describe("All customers' waiting tickets; null unless the user is staff."),
      }),
    )
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
    .output(TicketRead.extend({ ticket: OwnTicket }))
    .query(async ({ ctx, input }) => {
      const { found, ...shown } = await findOwnTicket(ctx, ctx.caller.userId, input);
      return { ticket: presentOwnTicket(found), ...shown };
    }),
  create,
  reply,
  close,
  reopen,
});
