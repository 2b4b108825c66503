/** Beside a ticket at the support desk: whether the customer is suspended, servers, keys, subscriptions and other tickets. */
import { type ComponentChildren, toChildArray } from 'preact';
import type { Customer, CustomerServer, CustomerState, Subscription, Ticket } from '../api.ts';
import { Dialog, useDialog } from '../dialog.tsx';
import { Figures, Measured } from '../servers/figures.tsx';
import { StateBadge } from '../servers/server-facts.tsx';
import { renewalOf, statusOf } from '../subscriptions/status.ts';
import { Time } from '../time.tsx';
import { type Query, useQuery } from '../use-query.ts';
import { ResourceView } from '../view.tsx';
import { StatusBadge } from './ticket-list.tsx';

interface Props {
  ticketId: number;
  reference: string | null | undefined;
}

export function CustomerAside(props: Props) {
  const { ticketId: ticket_id } = props;
  const query = useQuery((api) => api.customer.get.query({ ticket_id }), { of: ticket_id });
  const { content } = query;
  return (
    <aside class="panel stack customer" aria-label="Customer">
      <FactSection title="Customer" of={query}>
        {content && <SignInFact of={content} />}
      </FactSection>
      <CustomerServers {...props} />
      <FactSection title="API keys" of={query}>
        {content?.keys.map((key) => (
          <UseFact key={key.id} {...key} />
        ))}
      </FactSection>
      {content && content.apps.length > 0 && (
        <FactSection title="Connected apps" of={query}>
          {content.apps.map((app) => (
            <UseFact key={app.id} {...app} />
          ))}
        </FactSection>
      )}
      <FactSection title="Subscriptions" of={query}>
        {content?.subscriptions.map(subscriptionFact)}
      </FactSection>
      <FactSection title="Other tickets" of={query}>
        {content?.tickets.filter(({ id }) => id !== ticket_id).map(ticketFact)}
      </FactSection>
    </aside>
  );
}

const SignInFact = ({ of: { active, last_sign_in_at: iso } }: { of: Customer }) => (
  <li>
    <span class={active ? 'badge is-success' : 'badge is-warning'}>{active ? 'Active' : 'Suspended'}</span>{' '}
    <span class="note">
      {iso ? (
        <>
          last sign-in <Time iso={iso} isRelative />
        </>
      ) : (
        'no sign-in recorded'
      )}
    </span>
  </li>
);

interface UseProps {
  name: string;
  scopes?: readonly string[];
  last_used_at: string | null;
  expires_at?: string | null;
}

const UseFact = ({ name, scopes, last_used_at, expires_at }: UseProps) => (
  <li>
    <strong dir="auto">{name}</strong>{' '}
    <span class="note">
      {last_used_at ? (
        <>
          last used <Time iso={last_used_at} isRelative />
        </>
      ) : (
        'never used'
      )}
      {expires_at && (
        <>
          , expires <Time iso={expires_at} />
        </>
      )}
    </span>
    {scopes && (
      <>
        <br />
        <code class="prefix">{scopes.join(', ')}</code>
      </>
    )}
  </li>
);

function subscriptionFact({ reference, name, status, renews_at, created_at }: Subscription) {
  const { words, badge } = statusOf(status);
  const renewal = renews_at && renewalOf(renews_at, words);
  return (
    <li key={reference}>
      <span dir="auto">{name ?? 'Subscription'}</span> <span class={badge}>{words}</span>
      <br />
      <span class="note">
        {renewal || 'Since'} <Time iso={(renewal && renews_at) || created_at} />
      </span>
    </li>
  );
}

const ticketFact = (ticket: Ticket) => (
  <li key={ticket.id}>
    <a href={`#support/${ticket.id}`} dir="auto">
      {ticket.subject}
    </a>{' '}
    <StatusBadge ticket={ticket} side="staff" />
  </li>
);

function CustomerServers({ ticketId: ticket_id, reference }: Props) {
  const query = useQuery((api) => api.customer.servers.query({ ticket_id, all: false }), { of: ticket_id });
  const { dialog, show } = useDialog();
  const { content: part, isBusy } = query;
  const isPart = part !== null && part.servers.length < part.total;
  const showAll = () => query.load((api) => api.customer.servers.query({ ticket_id, all: true }));
  return (
    <>
      <FactSection title="Servers" of={query}>
        {part?.servers.map((server) => (
          <ServerFact
            key={server.identifier}
            server={server}
            isOfTicket={server.identifier === reference}
            onOpen={() => show(<ServerStateDialog ticketId={ticket_id} server={server} />)}
          />
        ))}
        {isPart && (
          <li>
            <button type="button" class="button is-small" aria-disabled={isBusy} onClick={showAll}>
              Show all {part.total} servers
            </button>
          </li>
        )}
      </FactSection>
      {dialog}
    </>
  );
}

type FactProps = { server: CustomerServer; isOfTicket: boolean; onOpen(): void };

const ServerFact = ({ server, isOfTicket, onOpen }: FactProps) => (
  <li>
    <button type="button" class="link" aria-haspopup="dialog" dir="auto" onClick={onOpen}>
      {server.name}
    </button>{' '}
    <StateBadge server={server} state={server.state ?? 'unknown'} />{' '}
    {isOfTicket && <span class="badge is-warning">this ticket</span>}
    <br />
    <code class="note">{server.identifier}</code>
    {server.reason && <span class="note"> · {server.reason}</span>}
  </li>
);

const pollMs = 10_000;

function ServerStateDialog({ ticketId, server }: { ticketId: number; server: CustomerServer }) {
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

type StateProps = { server: CustomerServer; content: CustomerState };

function State({ server, content: { resources, limits } }: StateProps) {
  const { state, reason } = resources;
  return (
    <>
      <p>
        <StateBadge server={server} state={state} /> <code class="note">{server.identifier}</code>
      </p>
      {reason && <p class="note">{reason}</p>}
      <Figures server={{ limits }} resources={resources} />
      <p class="note">
        <Measured of={resources} />
      </p>
    </>
  );
}

interface FactsProps {
  title: string;
  of: Pick<Query<unknown>, 'content' | 'failure'>;
  children: ComponentChildren;
}

const FactSection = ({ title, of: { content, failure }, children }: FactsProps) => (
  <section>
    <h2>{title}</h2>
    {failure && <p class="note is-danger">{failure}</p>}
    {content === null && !failure && <p class="note">Loading</p>}
    {content !== null && (toChildArray(children).length > 0 ? <ul>{children}</ul> : <p class="note">None</p>)}
  </section>
);
