/** A list of tickets with their status, and which of them wait for the reader. */
import type { ComponentChildren } from 'preact';
import { listedTicketsMax } from '../../../../models/bounds.ts';
import type { Ticket } from '../api.ts';
import { SearchForm, Segments } from '../controls.tsx';
import { useDialog } from '../dialog.tsx';
import { useFocusAfterChange } from '../focus.ts';
import { ListView } from '../list-view.tsx';
import { useShell } from '../shell.ts';
import { formatTimeAgo, Time } from '../time.tsx';
import { itemsIn, usePages } from '../use-query.ts';
import { type BlankProps, CreateButton, View } from '../view.tsx';
import { type Desk, isOpen, nameOf, type Side, type TicketFilter } from './desk.ts';
import { OpenTicketDialog } from './open-ticket-dialog.tsx';

const texts = {
  customer: { title: 'Tickets', lede: 'Ask support and read the replies.' },
  staff: { title: 'Support desk', lede: 'The tickets of all customers.' },
};

const pollMs = 15_000;

interface Props {
  desk: Desk;
  filter: TicketFilter;
  onFilter(filter: TicketFilter): void;
  lastId: number | null;
  hint: ComponentChildren;
}

export function TicketList({ desk, filter, onFilter, lastId, hint }: Props) {
  const { dialog, show } = useDialog();
  const pages = usePages((_, last?: Ticket) => desk.list(filter, last?.id), {
    of: filter,
    // A list with older tickets loaded does not refresh.
    pace: (page) => (page && !page.isLong ? pollMs : null),
  });
  const tickets = pages.content?.items;
  const { title, lede } = texts[desk.side];
  const opener = <CreateButton label="Open a ticket" onClick={() => show(<OpenTicketDialog />)} />;
  useFocusAfterChange(tickets, () => document.querySelector(`a[href="${desk.hash}/${lastId}"]`));
  return (
    <View title={title} lede={lede} action={desk.isStaff ? hint : opener}>
      {(desk.isStaff || filter.search || (tickets && tickets.length > 0)) && (
        <TicketFilterBar {...{ desk, filter, onFilter }} />
      )}
      <ListView
        query={pages}
        items={itemsIn}
        label={title}
        more="Show older tickets"
        blank={blankOf(desk, filter)}
        item={(ticket: Ticket) => <TicketItem key={ticket.id} {...{ ticket, desk, filter }} />}
      />
      {desk.isStaff && filter.view !== 'all' && tickets?.length === listedTicketsMax && (
        <p class="note">These are the first {listedTicketsMax}; more appear as they are answered.</p>
      )}
      {dialog}
    </View>
  );
}

function emptyTexts({ isStaff }: Desk, { view, search }: TicketFilter): [title: string, text: string] {
  if (search) return ['No ticket matches', searchedTexts[isStaff ? 'staff' : 'customer']];
  if (!isStaff) return ['No tickets yet', 'Open one, and the answer appears here.'];
  if (view === 'waiting')
    return ['No tickets are waiting for an answer', 'New tickets appear here automatically.'];
  if (view === 'mine')
    return ['You are not working on any ticket', 'Tickets that you take appear here until they are closed.'];
  return ['No tickets yet', "All customers' tickets appear here."];
}

const searchedTexts = {
  staff:
    'The search covers numbers and words of subjects. A word with @, such as sam@, finds the customers whose e-mail address begins with it.',
  customer: 'The search covers numbers, subjects and servers of your newest 200 tickets.',
};

function blankOf(desk: Desk, filter: TicketFilter): BlankProps {
  const [title, text] = emptyTexts(desk, filter);
  if (desk.isStaff || filter.search) return { title, text };
  const link = <a href="/api/v1/docs#operations-tag-Tickets">Programs can do this too</a>;
  return {
    title,
    text: (
      <>
        {text} {link}
      </>
    ),
  };
}

const views = [
  { name: 'waiting', label: 'Waiting' },
  { name: 'mine', label: 'Mine' },
  { name: 'all', label: 'All' },
] as const;

const TicketFilterBar = ({ desk, filter, onFilter }: Omit<Props, 'lastId' | 'hint'>) => (
  <div class="desk-filter">
    {desk.isStaff && (
      <Segments
        label="Which tickets"
        segments={views}
        chosen={filter.search ? null : filter.view}
        onChoose={(view) => onFilter({ view, search: '' })}
      />
    )}
    <SearchForm
      request="tickets.list"
      {...searches[desk.side]}
      value={filter.search}
      onSearch={(search) => onFilter({ ...filter, search })}
    />
  </div>
);

const searches = {
  staff: {
    hint: 'Number, words or name@',
    label:
      "Search by number, words of the subject, or the beginning of a customer's e-mail address with its @",
  },
  customer: { hint: 'Number or words', label: 'Search your tickets by number or words' },
};

interface ItemProps {
  ticket: Ticket;
  desk: Desk;
  /** Left out: the ticket is in no queue. */
  filter?: TicketFilter;
}

export function TicketItem({ ticket, desk, filter }: ItemProps) {
  const { id, subject, is_unread, user, service_name, updated_at } = ticket;
  const isQueued = desk.isStaff && filter?.view === 'waiting' && !filter.search;
  return (
    <li tabIndex={-1} class={is_unread ? 'item is-link ticket is-unread' : 'item is-link ticket'}>
      <StatusBadge ticket={ticket} side={desk.side} />
      <a href={`${desk.hash}/${id}`} dir="auto">
        {subject}
      </a>
      <Assignee ticket={ticket} />
      <span class="note ticket-about" dir="auto">
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

/** @returns no tone where there is nothing to do */
function meaningOf(ticket: Ticket, side: Side): { word: string; tone?: string } {
  const { status, last_reply_by, is_unread } = ticket;
  if (is_unread) return { word: 'New answer', tone: 'is-warning' };
  if (!isOpen(ticket)) return { word: status };
  if (last_reply_by === 'staff') return { word: 'Answered', tone: 'is-success' };
  if (side === 'customer') return { word: 'With support', tone: 'is-accent' };
  return { word: status === 'New' ? 'New' : 'Waiting', tone: 'is-warning' };
}

export function StatusBadge({ ticket, side }: { ticket: Ticket; side: Side }) {
  const { word, tone } = meaningOf(ticket, side);
  return <span class={tone ? `badge ${tone}` : 'badge'}>{word}</span>;
}

function Assignee({ ticket: { assignee } }: Pick<ItemProps, 'ticket'>) {
  const { userId } = useShell();
  if (!assignee) return null;
  const isMine = assignee.id === userId;
  return (
    <span class="ticket-assignee" dir="auto">
      <span class="visually-hidden">Taken by </span>
      {isMine ? 'You' : nameOf(assignee)}
    </span>
  );
}

const Waiting = ({ since }: { since: string }) => (
  <strong class="ticket-waiting">
    asked <time dateTime={since}>{formatTimeAgo(since)}</time>
  </strong>
);
