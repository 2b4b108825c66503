/** Tickets on the account page: a customer's own, and for administrators those of all customers. */
import { z } from 'zod';
import type { Session } from './context.ts';
import {
  answerTicket,
  presentAdminTickets,
  readAnyTicket,
  readOwnTicket,
  refuseReply,
  requireStatus,
  setTicketStatus,
} from './conversations.ts';
import { administratorsOnly } from './errors.ts';
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
} from './schemas/conversation.ts';
import {
  presentTicketCreated,
  TicketChangeRequest,
  TicketCreated,
  TicketOpenRequest,
  TicketReplied,
  TicketReplyRequest,
} from './schemas/ticket.ts';
import { router, sessionProcedure } from './trpc.ts';

const shownMax = 50;

export const accountTicketsRouter = router({
  list: sessionProcedure
    .input(TicketListQuery)
    .output(z.object({ tickets: z.array(TicketDetail) }))
    .query(async ({ ctx: { models, session }, input }) => {
      const filter = { ...input, limit: input.limit ?? shownMax, userId: session.user._id };
      return { tickets: (await models.tickets.searchDetails(filter)).map(presentTicketDetail) };
    }),

  get: sessionProcedure
    .input(TicketReadQuery)
    .output(TicketRead)
    .query(({ ctx, input }) => readOwnTicket(ctx, ctx.session.user._id, input)),

  create: sessionProcedure
    .input(TicketOpenRequest)
    .output(z.object({ ticket: TicketCreated }))
    .mutation(async ({ ctx: { models, session, clock }, input: { title, message } }) => {
      const service = { serviceName: null, serviceReference: null, serviceType: null };
      const author = { userId: session.user._id, keyId: '' };
      const now = new Date(clock());
      const ticket = await models.tickets.open({ ...author, ...service, subject: title, text: message, now });
      return { ticket: presentTicketCreated(ticket) };
    }),

  reply: sessionProcedure
    .input(TicketReplyRequest)
    .output(TicketReplied)
    .mutation(async ({ ctx: { models, session, clock }, input: { ticket_id, message } }) => {
      const reply = { ticketId: ticket_id, userId: session.user._id, keyId: '', text: message };
      refuseReply(await models.tickets.reply({ ...reply, now: new Date(clock()) }));
      return { ticket_id, status: 'Active' };
    }),

  close: sessionProcedure
    .input(TicketChangeRequest)
    .output(TicketReplied)
    .mutation(async ({ ctx: { models, session, clock }, input: { ticket_id } }) => {
      const outcome = await models.tickets.close(session.user._id, ticket_id, new Date(clock()));
      return { ticket_id, status: requireStatus(outcome, 'Closed').status };
    }),

  reopen: sessionProcedure
    .input(TicketChangeRequest)
    .output(TicketReplied)
    .mutation(async ({ ctx: { models, session, clock }, input: { ticket_id } }) => {
      const outcome = await models.tickets.reopen(session.user._id, ticket_id, new Date(clock()));
      return { ticket_id, status: requireStatus(outcome, 'Active').status };
    }),
});

/** Begins a procedure in which staff works on a customer's ticket. */
const customerProcedure = sessionProcedure.meta({ auditsOwner: true });

export const accountSupportRouter = router({
  list: sessionProcedure
    .input(AdminTicketListQuery)
    .output(z.object({ tickets: z.array(AdminTicket) }))
    .query(async ({ ctx: { models, session }, input: { user_id, ...filter } }) => {
      requireAdministrator(session);
      const tickets = await models.tickets.searchDetails({ ...filter, userId: user_id });
      return { tickets: await presentAdminTickets(models, tickets) };
    }),

  get: customerProcedure
    .input(TicketReadQuery)
    .output(AdminTicketRead)
    .query(({ ctx, input }) => {
      requireAdministrator(ctx.session);
      return readAnyTicket(ctx, input);
    }),

  answer: customerProcedure
    .input(TicketAnswerRequest)
    .output(TicketReplied)
    .mutation(({ ctx, input }) => {
      requireAdministrator(ctx.session);
      return answerTicket(ctx, { userId: ctx.session.user._id, keyId: '' }, input);
    }),

  setStatus: customerProcedure
    .input(TicketStatusRequest)
    .output(z.object({ ticket: AdminTicket }))
    .mutation(({ ctx, input }) => {
      requireAdministrator(ctx.session);
      return setTicketStatus(ctx, input);
    }),
});

function requireAdministrator({ user }: Session): void {
  if (!user.isAdmin) throw administratorsOnly();
}
