/** Marks an open ticket to which the other side wrote last. */
import type { Ticket } from '../api.ts';
import { isOpen, type Side } from './desk.ts';

export const TurnBadge = ({ ticket, side }: { ticket: Ticket; side: Side }) =>
  isOpen(ticket) && ticket.last_reply_by !== side ? (
    <span class="badge is-warning">{side === 'staff' ? 'Waiting for you' : 'Answered'}</span>
  ) : null;
