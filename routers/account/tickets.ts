/** Tickets on the account page: a customer's own, and for administrators and support those of all customers. */
import { z } from 'zod';
import type { Session } from '../context.ts';
import {
  answerTicket,
  closeTicket,
  listAnyTickets,
  openOwnTicket,
  readAnyTicket,
  readOwnTicket,
  refuseReply,
  reopenTicket,
  setTicketStatus,
} from '../conversations.ts';
import { staffOnly } from '../errors.ts';
import {
  AdminTicket,
  AdminTicketListQuery,
  AdminTicketRead,
  presentTicketDetail,
  TicketAnswerRequest,
  TicketDetail,
  TicketListQuery,
  TicketRead,
  TicketReadQuery,
  TicketStatusRequest,
} from '../schemas/conversation.ts';
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
  list: sessionProcedure
    .input(TicketListQuery)
    .output(z.object({ tickets: z.array(TicketDetail) }))
    .query(async ({ ctx: { models, session }, input }) => {
      const filter = { ...input, limit: input.limit ?? shownMax, userId: session.user._id };
      return { tickets: (await models.tickets.search(filter)).map(presentTicketDetail) };
    }),

  get: sessionProcedure
    .meta({ slot: 'large' })
    .input(TicketReadQuery)
    .output(TicketRead)
    .query(({ ctx, input }) => readOwnTicket(ctx, ctx.session.user._id, input)),

  create: sessionProcedure
    .input(TicketOpenRequest)
    .output(z.object({ ticket: TicketCreated }))
    .mutation(async ({ ctx, input }) => {
      const author = { userId: ctx.session.user._id, keyId: '' };
      const ticket = await openOwnTicket(ctx, author, input);
      return { ticket: presentTicketCreated(ticket) };
    }),

  reply: sessionProcedure
    .input(TicketReplyRequest)
    .output(TicketReplied)
    .mutation(async ({ ctx, input: { ticket_id, message } }) => {
      const reply = {
        ticketId: ticket_id,
        userId: ctx.session.user._id,
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
      const { status } = await closeTicket(ctx, ctx.session.user._id, ticket_id);
      return { ticket_id, status };
    }),

  reopen: sessionProcedure
    .input(TicketChangeRequest)
    .output(TicketReplied)
    .mutation(async ({ ctx, input: { ticket_id } }) => {
      const { status } = await reopenTicket(ctx, ctx.session.user._id, ticket_id);
      return { ticket_id, status };
    }),
});

/** Begins a procedure in which staff works on a customer's ticket. */
const customerProcedure = sessionProcedure.meta({ auditsOwner: true });

export const accountSupportRouter = router({
  list: sessionProcedure
    .input(AdminTicketListQuery)
    .output(z.object({ tickets: z.array(AdminTicket) }))
    .query(({ ctx, input }) => {
      requireStaff(ctx.session);
      return listAnyTickets(ctx, input);
    }),

  get: customerProcedure
    .input(TicketReadQuery)
    .output(AdminTicketRead)
    .query(({ ctx, input }) => {
      requireStaff(ctx.session);
      return readAnyTicket(ctx, input);
    }),

  answer: customerProcedure
    .input(TicketAnswerRequest)
    .output(TicketReplied)
    .mutation(({ ctx, input }) => {
      requireStaff(ctx.session);
      return answerTicket(ctx, { userId: ctx.session.user._id, keyId: '' }, input);
    }),

  setStatus: customerProcedure
    .input(TicketStatusRequest)
    .output(z.object({ ticket: AdminTicket }))
    .mutation(({ ctx, input }) => {
      requireStaff(ctx.session);
      return setTicketStatus(ctx, input);
    }),
});

function requireStaff({ user }: Session): void {
  if (!isStaff(user)) throw staffOnly();
}
