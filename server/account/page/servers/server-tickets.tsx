/** The tickets about a server. */
import { useMemo } from 'preact/hooks';
import { listedTicketsMax } from '../../../../models/bounds.ts';
import type { Api } from '../api.ts';
import { ResourceView } from '../resource-view.tsx';
import { useShell } from '../shell.ts';
import { createOwnDesk } from '../tickets/desk.ts';
import { TicketItem } from '../tickets/ticket-list.tsx';
import { useQuery } from '../use-query.ts';
import { Blank, CreateButton } from '../view.tsx';
import type { PartProps } from './part.ts';

/** Among the newest of the user's. */
export function TicketsPart({ server, onAsk }: PartProps) {
  const { api } = useShell();
  const desk = useMemo(() => createOwnDesk(api), [api]);
  const query = useQuery(async (api: Api) => {
    const { tickets } = await api.tickets.list.query({ limit: listedTicketsMax });
    return tickets.filter(({ service_reference }) => service_reference === server.identifier);
  });
  return (
    <ResourceView of={query}>
      {(tickets) =>
        tickets.length === 0 ? (
          <Blank title="No tickets about it" text="Open one, and the answer appears here.">
            <CreateButton label="Open a ticket" onClick={onAsk} />
          </Blank>
        ) : (
          <ul class="panel" aria-label={`Tickets about ${server.name}`}>
            {tickets.map((ticket) => (
              <TicketItem key={ticket.id} ticket={ticket} desk={desk} />
            ))}
          </ul>
        )
      }
    </ResourceView>
  );
}
