/** A list of tickets with their status, and which of them wait for the reader. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Ticket } from '../api.ts';
import { Failed } from '../failed.tsx';
import { useFocusOnAdded, useKeptFocus } from '../focus.ts';
import { Icon } from '../icon.tsx';
import { useAction, useShell } from '../shell.ts';
import { KeySkeletons } from '../skeleton.tsx';
import { usePolling } from '../use-polling.ts';
import type { Desk, TicketFilter } from './desk.ts';
import { OpenTicketDialog } from './open-ticket-dialog.tsx';
import { TicketFilterBar } from './ticket-filter.tsx';
import { TicketItem } from './ticket-item.tsx';

const texts = {
  customer: { title: 'Tickets', lede: 'Ask support and read the replies.' },
  staff: { title: 'Support desk', lede: 'The tickets of all customers.' },
};

interface Props {
  desk: Desk;
  filter: TicketFilter;
  onFilter(filter: TicketFilter): void;
  /** The ticket that was shown before the list. */
  lastId: number | null;
}

export function TicketList({ desk, filter, onFilter, lastId }: Props) {
  const [isOpening, setOpening] = useState(false);
  const { tickets, hasMore, failure, load } = useTickets(desk, filter);
  useKeptFocus(tickets, () => document.querySelector(`a[href="${desk.hash}/${lastId}"]`));
  return (
    <main class="main">
      <ListHead desk={desk} onOpen={() => setOpening(true)} />
      {(desk.staff || filter.search || (tickets && tickets.length > 0)) && (
        <TicketFilterBar {...{ desk, filter }} onChange={onFilter} />
      )}
      {!tickets && (failure ? <Failed message={failure} onRetry={() => load(null)} /> : <KeySkeletons />)}
      {tickets?.length === 0 && <NoTickets desk={desk} filter={filter} />}
      {tickets && tickets.length > 0 && <Tickets {...{ desk, filter, tickets, hasMore, load }} />}
      {isOpening && <OpenTicketDialog onClose={() => setOpening(false)} />}
    </main>
  );
}

function emptyTexts({ staff }: Desk, { view, search }: TicketFilter): [title: string, text: string] {
  if (search) return ['No ticket matches', searchedTexts[staff ? 'staff' : 'customer']];
  if (!staff) return ['No tickets yet', 'Open one, and the answer appears here.'];
  if (view === 'waiting') return ['No ticket waits for an answer', 'A new one appears here by itself.'];
  if (view === 'mine')
    return ['You work on no ticket', 'Those that you take appear here until they are closed.'];
  return ['No tickets yet', "All customers' tickets appear here."];
}

const searchedTexts = {
  staff: 'Numbers and subjects are searched, and the beginnings of e-mail addresses.',
  customer: 'Numbers, subjects and servers of your newest 200 tickets are searched.',
};

function NoTickets({ desk, filter }: Pick<Props, 'desk' | 'filter'>) {
  const [title, text] = emptyTexts(desk, filter);
  return (
    <div class="blank">
      <h2>{title}</h2>
      <p>{text}</p>
    </div>
  );
}

interface TicketsProps {
  desk: Desk;
  filter: TicketFilter;
  tickets: Ticket[];
  hasMore: boolean;
  load(shown: Ticket[]): Promise<unknown>;
}

function Tickets({ desk, filter, tickets, hasMore, load }: TicketsProps) {
  const { list, expectMore } = useFocusOnAdded<HTMLUListElement>(tickets.length);
  const showMore = () => {
    expectMore();
    void load(tickets);
  };
  return (
    <>
      <ul ref={list} class="panel tickets" aria-label={texts[desk.side].title}>
        {tickets.map((ticket) => (
          <TicketItem key={ticket.id} {...{ ticket, desk, filter }} />
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

const pollMs = 15_000;

function useTickets(desk: Desk, filter: TicketFilter) {
  const { notifyOfFailure } = useShell();
  const { failure, run } = useAction();
  const [tickets, setTickets] = useState<Ticket[] | null>(null);
  const [hasMore, setHasMore] = useState(false);
  const [hasOlder, setHasOlder] = useState(false);
  const latest = useRef(filter);
  latest.current = filter;
  const fetch = async (shown: Ticket[] | null) => {
    const found = await desk.list(filter, shown?.at(-1)?.id);
    // The answer to an earlier search may come later.
    if (latest.current !== filter) return;
    setTickets([...(shown ?? []), ...found.tickets]);
    setHasMore(found.hasMore);
    setHasOlder(shown !== null);
  };
  const load = useCallback((shown: Ticket[] | null) => run(() => fetch(shown)), [desk, filter]);
  useEffect(() => void load(null), [load]);
  // A list of which older tickets were asked for stays as it is.
  usePolling(() => fetch(null), tickets && !hasOlder ? pollMs : null);
  useEffect(() => {
    if (failure && tickets) notifyOfFailure(failure);
  }, [failure, tickets, notifyOfFailure]);
  return { tickets, hasMore, failure, load };
}
