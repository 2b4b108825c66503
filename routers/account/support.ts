/** The support desk of the account page: the tickets of all customers, who works on them, and notes that no customer sees. */
import { z } from 'zod';
import { listedTicketsMax } from '../../models/bounds.ts';
import type { TicketDetail } from '../../models/ticket/read.ts';
import type { Context, SessionContext } from '../context.ts';
import {
  answerTicket,
  findAnyTicket,
  findUsers,
  getAnyTicket,
  setTicketStatus,
  staffAndOwnerOf,
} from '../conversations.ts';
import { badRequest, conflict } from '../errors.ts';
import { NoInput } from '../schemas/common.ts';
import {
  AdminTicket,
  AdminTicketListQuery,
  TicketReadQuery,
  TicketStatusRequest,
} from '../schemas/conversation.ts';
import {
  AssignRequest,
  DeskAnswerRequest,
  DeskTicket,
  DeskTicketRead,
  NoteRequest,
  presentDeskTicket,
  presentNote,
} from '../schemas/desk.ts';
import { TicketReplied } from '../schemas/ticket.ts';
import { findAnyTickets } from '../support/ticket-search.ts';
import { router, sessionProcedure } from '../trpc.ts';
import { newStaffText, requireStaff } from './staff.ts';

const Tickets = z.object({ tickets: z.array(DeskTicket) });
const Done = z.object({});

/** Begins a procedure in which staff works on a customer's ticket. */
const customerProcedure = sessionProcedure.meta({ auditsOwner: true });

export const accountSupportRouter = router({
  list: sessionProcedure
    .input(AdminTicketListQuery)
    .output(Tickets)
    .query(async ({ ctx, input }) => {
      requireStaff(ctx);
      return presentTickets(ctx, await findAnyTickets(ctx.models, input));
    }),

  listMine: sessionProcedure
    .input(NoInput)
    .output(Tickets)
    .query(async ({ ctx }) => {
      requireStaff(ctx);
      const filter = { assigneeId: ctx.caller.userId, limit: listedTicketsMax };
      return presentTickets(ctx, await ctx.models.tickets.searchDetails(filter));
    }),

  get: customerProcedure
    .input(TicketReadQuery)
    .output(DeskTicketRead)
    .query(async ({ ctx, input }) => {
      requireStaff(ctx);
      const { found, users, authors, shown } = await findAnyTicket(ctx, input);
      const isOwn = (index: number) => authors[index] === ctx.caller.userId;
      return {
        ticket: presentDeskTicket(found, users),
        messages: shown.messages.map((message, index) => ({ ...message, is_own: isOwn(index) })),
        has_more: shown.has_more,
        notes: await readNotes(ctx, found._id),
      };
    }),

  answer: customerProcedure
    .input(DeskAnswerRequest)
    .output(TicketReplied)
    .mutation(({ ctx, input }) => {
      requireStaff(ctx);
      return answerTicket(ctx, { userId: ctx.caller.userId, keyId: '' }, input);
    }),

  setStatus: customerProcedure
    .input(TicketStatusRequest)
    .output(z.object({ ticket: AdminTicket }))
    .mutation(({ ctx, input }) => {
      requireStaff(ctx);
      return setTicketStatus(ctx, input);
    }),

  claim: customerProcedure
    .input(AssignRequest)
    .output(Done)
    .mutation(({ ctx, input }) => assign(ctx, input, ctx.caller.userId)),

  release: customerProcedure
    .input(AssignRequest)
    .output(Done)
    .mutation(({ ctx, input }) => assign(ctx, input, null)),

  addNote: customerProcedure
    .input(NoteRequest)
    .output(Done)
    .mutation(async ({ ctx, input: { ticket_id: id, text } }) => {
      requireStaff(ctx);
      const { userId } = await getAnyTicket(ctx, id);
      if (!(await ctx.models.staffTexts.add({ id, userId }, newStaffText(ctx, { title: '', text }))))
        throw badRequest('The ticket has as many notes as it can have');
      return {};
    }),
});

async function readNotes({ models }: Context, ticketId: number) {
  const notes = await models.staffTexts.list(ticketId);
  const authors = notes.map(({ userId }) => userId);
  const users = await findUsers(models, authors);
  return notes.map((note) => presentNote(note, users));
}

/** Tickets as the desk shows them. */
async function presentTickets({ models }: Context, tickets: readonly TicketDetail[]) {
  const users = await findUsers(models, tickets.flatMap(staffAndOwnerOf));
  return { tickets: tickets.map((ticket) => presentDeskTicket(ticket, users)) };
}

/** @throws not_found, or conflict where somebody else works on the ticket than the page shows */
async function assign(
  ctx: SessionContext,
  { ticket_id, from }: z.infer<typeof AssignRequest>,
  to: number | null,
) {
  requireStaff(ctx);
  await getAnyTicket(ctx, ticket_id);
  if (!(await ctx.models.tickets.assign({ ticketId: ticket_id, from, to })))
    throw conflict('Somebody else has just taken or released this ticket');
  return {};
}
