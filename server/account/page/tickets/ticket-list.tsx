/** A list of tickets with their status, and which of them wait for the reader. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Ticket } from '../api.ts';
import { Failed } from '../failed.tsx';
import { useFocusOnAdded, useKeptFocus } from '../focus.ts';
import { Icon } from '../icon.tsx';
import { useAction, useShell } from '../shell.ts';
import { KeySkeletons } from '../skeleton.tsx';
import { Time } from '../time.tsx';
import { type Desk, isAwaiting, pageSize } from './desk.ts';
import { OpenTicketDialog } from './open-ticket-dialog.tsx';

const texts = {
  customer: { title: 'Tickets', lede: 'Ask the support, and read the answers.' },
  staff: { title: 'Support desk', lede: "All customers' tickets." },
};

interface Props {
  desk: Desk;
  /** The ticket that was shown before the list. */
  lastId: number | null;
}

export function TicketList({ desk, lastId }: Props) {
  const [isAll, setAll] = useState(desk.side === 'customer');
  const [isOpening, setOpening] = useState(false);
  const { tickets, hasMore, failure, load } = useTickets(desk, isAll);
  useKeptFocus(tickets, () => document.querySelector(`a[href="${desk.hash}/${lastId}"]`));
  return (
    <main class="main">
      <ListHead desk={desk} onOpen={() => setOpening(true)} />
      {desk.side === 'staff' && (
        <label class="filter">
          <input
            type="checkbox"
            checked={!isAll}
            onChange={({ currentTarget }) => setAll(!currentTarget.checked)}
          />
          Only tickets that wait for an answer
        </label>
      )}
      {!tickets && (failure ? <Failed message={failure} onRetry={() => load(null)} /> : <KeySkeletons />)}
      {tickets?.length === 0 && (
        <p class="blank">{isAll ? 'No tickets yet' : 'No ticket waits for an answer'}</p>
      )}
      {tickets && tickets.length > 0 && <Tickets {...{ desk, tickets, hasMore, load }} />}
      {isOpening && <OpenTicketDialog onClose={() => setOpening(false)} />}
    </main>
  );
}

interface TicketsProps {
  desk: Desk;
  tickets: Ticket[];
  hasMore: boolean;
  load(shown: Ticket[]): Promise<void>;
}

function Tickets({ desk, tickets, hasMore, load }: TicketsProps) {
  const { list, expectMore } = useFocusOnAdded<HTMLUListElement>(tickets.length);
  const showMore = () => {
    expectMore();
    void load(tickets);
  };
  return (
    <>
      <ul ref={list} class="panel" aria-label={texts[desk.side].title}>
        {tickets.map((ticket) => (
          <TicketItem key={ticket.id} ticket={ticket} desk={desk} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" class="button" onClick={showMore}>
          Show older tickets
        </button>
      )}
    </>
  );
}

function ListHead({ desk, onOpen }: { desk: Desk; onOpen: () => void }) {
  const { title, lede } = texts[desk.side];
  return (
    <div class="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        <p class="lede">{lede}</p>
      </div>
      {desk.side === 'customer' && (
        <button type="button" class="button is-primary" onClick={onOpen}>
          <Icon name="plus" />
          Open a ticket
        </button>
      )}
    </div>
  );
}

function useTickets(desk: Desk, isAll: boolean) {
  const { notify } = useShell();
  const { failure, run } = useAction();
  const [tickets, setTickets] = useState<Ticket[] | null>(null);
  const [hasMore, setHasMore] = useState(false);
  const load = useCallback(
    (shown: Ticket[] | null) =>
      run(async () => {
        const last = shown?.at(-1);
        const found = await desk.list({
          ...(!isAll && { awaiting: 'staff' as const }),
          ...(last && { before: last.id }),
        });
        setTickets([...(shown ?? []), ...found]);
        setHasMore(found.length === pageSize);
      }),
    [desk, isAll],
  );
  useEffect(() => void load(null), [load]);
  useEffect(() => {
    if (failure && tickets) notify(failure);
  }, [failure, tickets, notify]);
  return { tickets, hasMore, failure, load };
}

function TicketItem({ ticket, desk }: { ticket: Ticket; desk: Desk }) {
  return (
    <li tabIndex={-1} class="ticket">
      <a href={`${desk.hash}/${ticket.id}`}>{ticket.subject}</a>
      <p class="ticket-facts">
        <span class="badge">{ticket.status}</span>
        {isAwaiting(ticket, desk.side) && <span class="badge is-warning">Waiting for you</span>}
        <span>
          #{ticket.id}
          {ticket.user && `, ${ticket.user.email}`}
        </span>
        {ticket.updated_at && <Time iso={ticket.updated_at} isRelative />}
      </p>
    </li>
  );
}
