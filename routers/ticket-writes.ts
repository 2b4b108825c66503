/** Writes of tickets together with their events for webhooks. */
import type { z } from 'zod';
import type { TicketDetail } from '../models/ticket/read.ts';
import type { ReplyResult, StatusChange, TicketSummary } from '../models/ticket/store.ts';
import type { NewReply, NewTicket, StoredReply } from '../models/ticket/write.ts';
import type { Context } from './context.ts';
import { type Message, presentMessage, presentTicketDetail } from './schemas/conversation.ts';
import type { TypedEvent } from './schemas/event.ts';

type Deps = Pick<Context, 'models' | 'clock'>;
type Transaction = Parameters<Parameters<Context['models']['transaction']>[0]>[0];

/** Opens a ticket with its event. */
export async function openTicket({ models }: Deps, opening: NewTicket): Promise<TicketSummary> {
  const { tickets, webhookEvents } = models;
  if (!(await webhookEvents.isWanted(['ticket.created'], opening.userId))) return tickets.open(opening);
  const ticket = await tickets.open({ ...opening, pending: ['ticket.created'] });
  webhookEvents.announceCommit();
  return ticket;
}

/** Records that tickets were opened, as they were then. */
export const recordOpened = ({ models }: Pick<Deps, 'models'>, tickets: TicketDetail[]): Promise<void> =>
  models.webhookEvents.record(
    tickets.map((ticket): TypedEvent => {
      const { _id, userId, createdAt: at } = ticket;
      const then = { status: 'New', lastReplyBy: 'customer', messageCount: 1, updatedAt: at } as const;
      const data = { ticket: presentTicketDetail({ ...ticket, ...then }) };
      return { type: 'ticket.created', userId, at, data, occurrence: `ticket.created ${_id}` };
    }),
  );

/** Stores a reply with its events: alone in a transaction where a webhook gets them, and with other replies otherwise. */
export async function storeReply({ models }: Deps, reply: NewReply): Promise<ReplyResult> {
  const { tickets, users, webhookEvents } = models;
  if (!(await webhookEvents.isWanted(['ticket.replied', 'ticket.status_changed'], reply.userId)))
    return tickets.reply(reply);
  const author = await users.find(reply.staffId ?? reply.userId);
  return tickets.inOrder(reply.ticketId, () =>
    models.transaction(async (transaction) => {
      const stored = await tickets.replyWithin(reply, transaction);
      if (typeof stored === 'string') return stored;
      const message = presentMessage(stored.message, author);
      await webhookEvents.record(eventsOfReply(stored, message), transaction);
      return 'replied';
    }),
  );
}

function eventsOfReply(
  { ticket, previousStatus }: StoredReply,
  message: z.infer<typeof Message>,
): TypedEvent[] {
  const data = { ticket: presentTicketDetail(ticket), message };
  const replied = { type: 'ticket.replied', userId: ticket.userId, at: ticket.updatedAt, data } as const;
  return ticket.status === previousStatus ? [replied] : [replied, statusChanged(ticket, previousStatus)];
}

const statusChanged = (ticket: TicketDetail, previousStatus: string): TypedEvent => ({
  type: 'ticket.status_changed',
  userId: ticket.userId,
  at: ticket.updatedAt,
  data: { ticket: presentTicketDetail(ticket), previous_status: previousStatus },
});

interface StatusWrite {
  ticketId: number;
  isByStaff: boolean;
}

/** Changes the status of a ticket, with the event of it. */
export function changeStatus(
  { models }: Deps,
  { ticketId, isByStaff }: StatusWrite,
  change: (transaction: Transaction) => Promise<StatusChange | null>,
): Promise<StatusChange | null> {
  return models.tickets.inOrder(ticketId, () =>
    models.transaction(async (transaction) => {
      const result = await change(transaction);
      const event = result?.hasChanged && statusChanged(result.ticket, result.previousStatus);
      await models.webhookEvents.record(event ? [{ ...event, isByStaff }] : [], transaction);
      return result;
    }),
  );
}
