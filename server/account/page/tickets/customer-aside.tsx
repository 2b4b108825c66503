/** Beside a ticket at the support desk: the customer's servers with their states, subscriptions and other tickets. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Customer, CustomerServer } from '../api.ts';
import { useAction } from '../shell.ts';
import { Time } from '../time.tsx';
import type { StaffDesk } from './desk.ts';

interface Props {
  desk: StaffDesk;
  ticketId: number;
  /** The server that the ticket is about. */
  reference: string | null | undefined;
}

export function CustomerAside({ desk, ticketId, reference }: Props) {
  const customer = useLoaded(() => desk.readCustomer(ticketId), ticketId);
  const servers = useLoaded(() => desk.listServers(ticketId), ticketId);
  return (
    <aside class="customer" aria-label="Customer">
      <Facts title="Servers" {...servers}>
        {servers.content?.map((server) => (
          <ServerFact key={server.identifier} server={server} isMeant={server.identifier === reference} />
        ))}
      </Facts>
      <Facts title="Subscriptions" {...customer}>
        {customer.content?.subscriptions.map(({ reference, status, created_at }) => (
          <li key={reference}>
            <span class="badge">{status}</span>{' '}
            <span class="note">
              created <Time iso={created_at} />
            </span>
          </li>
        ))}
      </Facts>
      <Facts title="Other tickets" {...customer}>
        {customer.content?.other_tickets.map(({ id, subject, status }) => (
          <li key={id}>
            <a href={`#support/${id}`}>
              <bdi>{subject}</bdi>
            </a>{' '}
            <span class="badge">{status}</span>
          </li>
        ))}
      </Facts>
    </aside>
  );
}

interface Loaded<Content> {
  content: Content | null;
  failure: string | null;
}

function useLoaded<Content extends Customer | CustomerServer[]>(
  load: () => Promise<Content>,
  ticketId: number,
): Loaded<Content> {
  const { failure, run } = useAction();
  const [content, setContent] = useState<Content | null>(null);
  useEffect(() => void run(async () => setContent(await load())), [ticketId]);
  return { content, failure };
}

interface FactsProps extends Loaded<unknown> {
  title: string;
  children: ComponentChildren;
}

const Facts = ({ title, content, failure, children }: FactsProps) => (
  <section>
    <h2>{title}</h2>
    {failure && <p class="note is-danger">{failure}</p>}
    {content === null && !failure && <p class="note">Loading</p>}
    {content !== null &&
      (Array.isArray(children) && children.length > 0 ? <ul>{children}</ul> : <p class="note">None</p>)}
  </section>
);

const ServerFact = ({ server, isMeant }: { server: CustomerServer; isMeant: boolean }) => (
  <li>
    <bdi>{server.name}</bdi>{' '}
    <span class="badge">{server.is_suspended ? 'suspended' : (server.state ?? 'unknown')}</span>{' '}
    {isMeant && <span class="badge is-warning">this ticket</span>}
    <br />
    <code class="prefix">{server.identifier}</code>
    {server.reason && <span class="note"> {server.reason}</span>}
  </li>
);
