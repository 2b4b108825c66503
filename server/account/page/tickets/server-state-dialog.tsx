/** At the support desk: what a customer's server does now and uses. */
import type { CustomerServer, CustomerState } from '../api.ts';
import { Dialog } from '../dialog.tsx';
import { ResourceView } from '../resource-view.tsx';
import { Figures, Measured } from '../servers/figures.tsx';
import { StateBadge } from '../servers/server-state.tsx';
import { useQuery } from '../use-query.ts';

interface Props {
  ticketId: number;
  server: CustomerServer;
}

const pollMs = 10_000;

export function ServerStateDialog({ ticketId, server }: Props) {
  const request = { ticket_id: ticketId, server_identifier: server.identifier };
  const query = useQuery((api) => api.customer.resources.query(request), {
    pace: (content) => content && pollMs,
  });
  return (
    <Dialog title={<bdi>{server.name}</bdi>}>
      <div class="stack">
        <ResourceView of={query} placeholder={<p class="note">Loading</p>}>
          {(content) => <State server={server} content={content} />}
        </ResourceView>
      </div>
    </Dialog>
  );
}

interface StateProps extends Pick<Props, 'server'> {
  content: CustomerState;
}

function State({ server, content: { resources, limits } }: StateProps) {
  const { state, reason } = resources;
  return (
    <>
      <p>
        <StateBadge server={server} state={state} /> <code class="prefix">{server.identifier}</code>
      </p>
      {reason && <p class="note">{reason}</p>}
      <Figures server={{ limits }} resources={resources} />
      <p class="note">
        <Measured of={resources} />
      </p>
    </>
  );
}
