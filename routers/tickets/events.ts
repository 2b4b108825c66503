/** Makes the events of tickets from the facts that their writes stored. */
import type { Models } from '../../models/index.ts';
import type { PendingDetail } from '../../models/ticket/pending.ts';
import { toNumbered } from '../../models/ticket/read.ts';
import type { TypedEvent } from '../schemas/event.ts';
import { presentMessage, presentTicketDetail, type UsersById } from './conversation-schema.ts';
import { findUsers } from './conversations.ts';

/**
 * Returns each ticket's events in the order of its writes. Each `occurrence` names a write, so a new run makes the same
 * events.
 */
export async function readTicketEvents(models: Models, ids: readonly number[]): Promise<TypedEvent[]> {
  const tickets = await models.tickets.pending.read(ids);
  const authors = await findUsers(
    models,
    tickets.flatMap(({ messages }) => messages.map(({ userId }) => userId)),
  );
  return tickets.flatMap((ticket) => eventsOf(ticket, authors));
}

function eventsOf({ facts, messages, ...ticket }: PendingDetail, authors: UsersById): TypedEvent[] {
  return facts.flatMap((fact): TypedEvent[] => {
    const { id, at, status, previousStatus, lastReplyBy, messageCount } = fact;
    const ticketThen = { ...ticket, status, lastReplyBy, messageCount, updatedAt: at };
    const shown = { ticket: presentTicketDetail(ticketThen) };
    const about = { userId: ticket.userId, at };
    const named = <Type extends string>(type: Type) => ({ type, occurrence: `${type} ${ticket._id} ${id}` });
    if (fact.type === 'ticket.created')
      return [{ ...about, type: fact.type, data: shown, occurrence: `${fact.type} ${ticket._id}` }];
    const data = { ...shown, previous_status: previousStatus };
    const changed = { ...about, ...named('ticket.status_changed'), data };
    if (fact.type === 'ticket.status_changed') return [{ ...changed, isByStaff: fact.isByStaff }];
    const stored = messages.find((message) => message.id === id);
    if (!stored) return []; // cannot happen: replies are never deleted from a ticket
    const message = presentMessage(toNumbered(stored, messageCount), authors.get(stored.userId) ?? null);
    const replied: TypedEvent = { ...about, ...named('ticket.replied'), data: { ...shown, message } };
    return status === previousStatus ? [replied] : [replied, changed];
  });
}
