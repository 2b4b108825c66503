/** Beside a ticket at the support desk: the customer's servers with their states, subscriptions and other tickets. */
import { Time } from '../time.tsx';
import { useQuery } from '../use-query.ts';
import { CustomerServers } from './customer-servers.tsx';
import type { StaffDesk } from './desk.ts';
import { Facts } from './facts.tsx';
import { StatusBadge } from './status-badge.tsx';

interface Props {
  desk: StaffDesk;
  ticketId: number;
  /** The server that the ticket is about. */
  reference: string | null | undefined;
}

export function CustomerAside(props: Props) {
  const { desk, ticketId } = props;
  const query = useQuery(() => desk.readCustomer(ticketId), { of: ticketId });
  const { content } = query;
  return (
    <aside class="customer" aria-label="Customer">
      <CustomerServers {...props} />
      <Facts title="Subscriptions" of={query}>
        {content?.subscriptions.map(({ reference, status, created_at }) => (
          <li key={reference}>
            <span class="badge">{status}</span>{' '}
            <span class="note">
              created <Time iso={created_at} />
            </span>
          </li>
        ))}
      </Facts>
      <Facts title="Other tickets" of={query}>
        {content?.other_tickets.map((ticket) => (
          <li key={ticket.id}>
            <a href={`#support/${ticket.id}`} dir="auto">
              {ticket.subject}
            </a>{' '}
            <StatusBadge ticket={ticket} side="staff" />
          </li>
        ))}
      </Facts>
    </aside>
  );
}
