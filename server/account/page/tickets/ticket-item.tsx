/** A ticket in a list: one line. */
import type { Ticket } from '../api.ts';
import { useShell } from '../shell.ts';
import { agoOf, Time } from '../time.tsx';
import type { Desk, TicketFilter } from './desk.ts';
import { StatusBadge } from './status-badge.tsx';

interface Props {
  ticket: Ticket;
  desk: Desk;
  filter: TicketFilter;
}

export function TicketItem({ ticket, desk, filter }: Props) {
  const { id, subject, is_unread, user, service_name, updated_at } = ticket;
  const isQueued = desk.isStaff && filter.view === 'waiting' && !filter.search;
  return (
    <li tabIndex={-1} class={is_unread ? 'ticket is-unread' : 'ticket'}>
      <StatusBadge ticket={ticket} side={desk.side} />
      <a href={`${desk.hash}/${id}`} dir="auto">
        {subject}
      </a>
      <Assignee ticket={ticket} />
      <span class="ticket-about" dir="auto">
        {user?.email ?? service_name}
      </span>
      <span class="ticket-number">#{id}</span>
      {updated_at && (
        <span class="ticket-time">
          {isQueued ? <Waiting since={updated_at} /> : <Time iso={updated_at} isRelative />}
        </span>
      )}
    </li>
  );
}

function Assignee({ ticket: { assignee } }: Pick<Props, 'ticket'>) {
  const { userId } = useShell();
  if (!assignee) return null;
  const isMine = assignee.id === userId;
  return (
    <span class="ticket-assignee" dir="auto">
      <span class="visually-hidden">Taken by </span>
      {isMine ? 'You' : assignee.name}
    </span>
  );
}

const Waiting = ({ since }: { since: string }) => (
  <strong class="ticket-waiting">
    asked <time dateTime={since}>{agoOf(since)}</time>
  </strong>
);
