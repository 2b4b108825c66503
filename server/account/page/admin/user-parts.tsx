/** On the page of a user: the newest tickets, keys, connected apps and subscriptions, as support needs them to answer. */
import type { ComponentChildren, VNode } from 'preact';
import type { UserDetails } from '../api.ts';
import { Item } from '../item.tsx';
import { statusOf } from '../subscriptions/status.ts';
import { StatusBadge } from '../tickets/ticket-list.tsx';
import { Time } from '../time.tsx';

export const UserParts = ({ of: { tickets, keys, apps, subscriptions } }: { of: UserDetails }) => (
  <>
    <Part title="Newest tickets" blank="No tickets." of={tickets}>
      {ticketItem}
    </Part>
    <Part title="API keys" blank="No live keys." of={keys}>
      {({ id, name, prefix, ...times }) => (
        <Item
          key={id}
          isLine
          title={name}
          about={<Use {...times} mark={<code class="note">{prefix}…</code>} />}
        />
      )}
    </Part>
    <Part title="Connected apps" blank="No connected apps." of={apps}>
      {({ id, name, ...times }) => <Item key={id} isLine title={name} about={<Use {...times} />} />}
    </Part>
    <Part title="Subscriptions" blank="No subscriptions." of={subscriptions}>
      {subscriptionItem}
    </Part>
  </>
);

const ticketItem = (ticket: UserDetails['tickets'][number]) => (
  <Item
    key={ticket.id}
    isLine
    title={<a href={`#support/${ticket.id}`}>{ticket.subject}</a>}
    about={
      <>
        <StatusBadge ticket={ticket} side="staff" />
        <span class="note">#{ticket.id}</span>
      </>
    }
  />
);

const subscriptionItem = ({ reference, name, status, created_at }: UserDetails['subscriptions'][number]) => (
  <Item
    key={reference}
    isLine
    title={name ?? <code>{reference}</code>}
    about={
      <>
        <span class={statusOf(status).badge}>{statusOf(status).words}</span>
        <span class="note">
          since <Time iso={created_at} />
        </span>
      </>
    }
  />
);

interface PartProps<Entry> {
  title: string;
  blank: string;
  of: readonly Entry[];
  /** Must set a key on the node that it returns. */
  children(entry: Entry): VNode;
}

const Part = <Entry,>({ title, blank, of: entries, children }: PartProps<Entry>) => (
  <section class="stack">
    <h2>
      {title}
      {entries.length > 0 && <span class="count">{entries.length}</span>}
    </h2>
    {entries.length === 0 ? (
      <p class="note">{blank}</p>
    ) : (
      <ul class="panel" aria-label={title}>
        {entries.map(children)}
      </ul>
    )}
  </section>
);

interface UseProps {
  mark?: ComponentChildren;
  created_at: string;
  last_used_at: string | null;
  expires_at?: string | null;
}

const Use = ({ mark, created_at, last_used_at, expires_at }: UseProps) => (
  <>
    {mark}
    <span class="note">
      created <Time iso={created_at} />
      {expires_at && (
        <>
          , expires <Time iso={expires_at} />
        </>
      )}
      ,{' '}
      {last_used_at ? (
        <>
          last used <Time iso={last_used_at} isRelative />
        </>
      ) : (
        'never used'
      )}
    </span>
  </>
);
