/** A ticket in a list. */
import type { Ticket } from '../api.ts';
import { distanceOf, Time } from '../time.tsx';
import type { Desk, TicketFilter } from './desk.ts';
import { TurnBadge } from './turn-badge.tsx';

interface Props {
  ticket: Ticket;
  desk: Desk;
  filter: TicketFilter;
}

export function TicketItem({ ticket, desk, filter }: Props) {
  const isQueued = desk.staff !== null && filter.isQueue && !filter.search;
  return (
    <li tabIndex={-1} class="ticket">
      <a href={`${desk.hash}/${ticket.id}`}>
        <bdi>{ticket.subject}</bdi>
      </a>
      <p class="ticket-facts">
        {!isQueued && <span class="badge">{ticket.status}</span>}
        {!isQueued && <TurnBadge ticket={ticket} side={desk.side} />}
        <span>
          #{ticket.id}
          {ticket.user && `, ${ticket.user.email}`}
          <TicketAbout name={ticket.service_name} />
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

/** The server that a ticket is about. */
export const TicketAbout = ({ name }: { name: string | null | undefined }) =>
  name ? (
    <>
      , about <bdi>{name}</bdi>
    </>
  ) : null;
