/** A ticket in a list. */
import type { Ticket } from '../api.ts';
import { distanceOf, Time } from '../time.tsx';
import { type Desk, isAwaiting, type TicketFilter } from './desk.ts';

interface Props {
  ticket: Ticket;
  desk: Desk;
  filter: TicketFilter;
}

export function TicketItem({ ticket, desk, filter }: Props) {
  const isQueued = desk.staff !== null && filter.isQueue && !filter.search;
  return (
    <li tabIndex={-1} class="ticket">
      <a href={`${desk.hash}/${ticket.id}`}>{ticket.subject}</a>
      <p class="ticket-facts">
        {!isQueued && <span class="badge">{ticket.status}</span>}
        {!isQueued && isAwaiting(ticket, desk.side) && <span class="badge is-warning">Waiting for you</span>}
        <span>
          #{ticket.id}
          {ticket.user && `, ${ticket.user.email}`}
          {ticket.service_name && `, about ${ticket.service_name}`}
        </span>
        {ticket.updated_at &&
          (isQueued ? <Waiting since={ticket.updated_at} /> : <Time iso={ticket.updated_at} isRelative />)}
      </p>
    </li>
  );
}

const Waiting = ({ since }: { since: string }) => (
  <strong class="ticket-waiting">
    asked <time dateTime={since}>{distanceOf(since)}</time>
  </strong>
);
