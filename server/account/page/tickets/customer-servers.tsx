/** Beside a ticket at the support desk: the first of its customer's servers, or all, each with its state. */
import { useState } from 'preact/hooks';
import type { CustomerServer } from '../api.ts';
import { StateBadge } from '../servers/server-state.tsx';
import { useQuery } from '../use-query.ts';
import type { StaffDesk } from './desk.ts';
import { Facts } from './facts.tsx';
import { ServerStateDialog } from './server-state-dialog.tsx';

interface Props {
  desk: StaffDesk;
  ticketId: number;
  /** The server that the ticket is about. */
  reference: string | null | undefined;
}

export function CustomerServers({ desk, ticketId, reference }: Props) {
  const query = useQuery(() => desk.listServers(ticketId, false), { of: ticketId });
  const [opened, setOpened] = useState<CustomerServer | null>(null);
  const { content: part, isBusy } = query;
  const isPart = part !== null && part.servers.length < part.total;
  const showAll = () => query.load(() => desk.listServers(ticketId, true));
  return (
    <>
      <Facts title="Servers" of={query}>
        {part?.servers.map((server) => (
          <ServerFact
            key={server.identifier}
            server={server}
            isMeant={server.identifier === reference}
            onOpen={() => setOpened(server)}
          />
        ))}
        {isPart && (
          <li>
            <button type="button" class="button is-small" aria-disabled={isBusy} onClick={showAll}>
              Show all {part.total} servers
            </button>
          </li>
        )}
      </Facts>
      {opened && (
        <ServerStateDialog {...{ desk, ticketId }} server={opened} onClose={() => setOpened(null)} />
      )}
    </>
  );
}

interface FactProps {
  server: CustomerServer;
  isMeant: boolean;
  onOpen(): void;
}

const ServerFact = ({ server, isMeant, onOpen }: FactProps) => (
  <li>
    <button type="button" class="link" aria-haspopup="dialog" dir="auto" onClick={onOpen}>
      {server.name}
    </button>{' '}
    <StateBadge server={server} state={server.state ?? 'unknown'} />{' '}
    {isMeant && <span class="badge is-warning">this ticket</span>}
    <br />
    <code class="prefix">{server.identifier}</code>
    {server.reason && <span class="note"> · {server.reason}</span>}
  </li>
);
