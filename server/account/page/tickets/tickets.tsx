/** Tickets, the customer's or the support desk's: the list, or the ticket in the address with all actions on it. */
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { listedTicketsMax } from '../../../../models/bounds.ts';
import type { Api, Ticket, TicketPage } from '../api.ts';
import { focusAndReveal, useFocusAfterChange } from '../focus.ts';
import { FailureNotice } from '../form.tsx';
import { type Action, useAction, useShell } from '../shell.ts';
import { Time } from '../time.tsx';
import { useQuery } from '../use-query.ts';
import { ResourceView, useTitle } from '../view.tsx';
import { AnswerArea } from './answer-area.tsx';
import { CustomerAside } from './customer-aside.tsx';
import { createOwnDesk, createSupportDesk, type Desk, isOpen, nameOf, type TicketFilter } from './desk.ts';
import { Messages } from './messages.tsx';
import { StatusBadge, TicketList } from './ticket-list.tsx';
import { useConversation } from './use-conversation.ts';

export function OwnTickets({ detail }: { detail: string | null }) {
  const { api } = useShell();
  return <Tickets desk={useMemo(() => createOwnDesk(api), [api])} id={readId(detail)} />;
}

export function SupportDesk({ detail }: { detail: string | null }) {
  const { api } = useShell();
  return <Tickets desk={useMemo(() => createSupportDesk(api), [api])} id={readId(detail)} />;
}

const readId = (detail: string | null) =>
  detail !== null && /^[1-9]\d{0,14}$/.test(detail) ? Number(detail) : null;

function Tickets({ desk, id }: { desk: Desk; id: number | null }) {
  const [filter, setFilter] = useState<TicketFilter>({ view: 'waiting', search: '' });
  const lastId = useRef<number | null>(null);
  useEffect(() => {
    if (id !== null) lastId.current = id;
  }, [id]);
  if (id === null) return <TicketList {...{ desk, filter, lastId: lastId.current }} onFilter={setFilter} />;
  return <Conversation key={id} desk={desk} id={id} />;
}

function Conversation({ desk, id }: { desk: Desk; id: number }) {
  const { query, ...conversation } = useConversation(desk, id);
  useFocusAfterChange(query.content);
  useTitle(query.content?.ticket.subject ?? `Ticket #${id}`);
  return (
    <main class={desk.isStaff ? 'main is-desk' : 'main'}>
      <p>
        <a href={desk.hash}>All tickets</a>
      </p>
      <ResourceView of={query}>
        {(page) => <ConversationBody {...{ desk, page }} {...conversation} />}
      </ResourceView>
    </main>
  );
}

type ConversationBodyProps = Omit<ReturnType<typeof useConversation>, 'query'> & {
  desk: Desk;
  page: TicketPage;
};

function ConversationBody({ desk, page, showEarlier, refresh }: ConversationBodyProps) {
  const { ticket, messages, notes = [] } = page;
  const { notify } = useShell();
  const action = useAction();
  const [answers, setAnswers] = useState(0);
  const [done, setDone] = useState<string | null>(null);
  const setOpen = (willBeOpen: boolean) =>
    action.run(async () => {
      await desk.setOpen(ticket.id, willBeOpen);
      notify(willBeOpen ? 'Ticket reopened' : 'Ticket closed');
      await refresh();
      setDone(willBeOpen ? null : 'Ticket closed');
    });
  const onSent = async () => {
    await refresh();
    setAnswers((count) => count + 1);
    setDone('Answer sent');
  };
  return (
    <div class="conversation">
      <div class="conversation-main">
        <TicketHead ticket={ticket} desk={desk} />
        {desk.isStaff && <Assignee ticket={ticket} onChange={refresh} />}
        <Messages messages={messages} notes={notes} side={desk.side} onEarlier={showEarlier} />
        <AnswerArea {...{ desk, page, onSent }} onChange={refresh} sentCount={answers} />
        {desk.isStaff && done && <NextTicket key={`${done} ${answers}`} {...{ done }} ticketId={ticket.id} />}
        <StatusActions ticket={ticket} action={action} onChange={setOpen} />
      </div>
      {desk.isStaff && <CustomerAside ticketId={ticket.id} reference={ticket.service_reference} />}
    </div>
  );
}

const TicketHead = ({ ticket, desk }: { ticket: Ticket; desk: Desk }) => (
  <div>
    <h1 tabIndex={-1} class="ticket-title" dir="auto">
      {ticket.subject}
    </h1>
    <p class="ticket-facts">
      <StatusBadge ticket={ticket} side={desk.side} />
      <span>
        #{ticket.id}
        {ticket.user && `, ${ticket.user.email}`}
        {ticket.service_name && (
          <>
            , about <bdi>{ticket.service_name}</bdi>
          </>
        )}
      </span>
    </p>
  </div>
);

type StatusProps = { ticket: Ticket; action: Action; onChange(willBeOpen: boolean): void };

function StatusActions({ ticket, action, onChange }: StatusProps) {
  if (ticket.status === 'Archived') return <p class="note">This ticket is archived.</p>;
  const willBeOpen = !isOpen(ticket);
  const change = () => {
    if (!action.isBusy) onChange(willBeOpen);
  };
  return (
    <div>
      <FailureNotice of={action} />
      <button type="button" class="button" aria-disabled={action.isBusy} onClick={change}>
        {willBeOpen ? 'Reopen ticket' : 'Close ticket'}
      </button>
    </div>
  );
}

type AssigneeProps = { ticket: Ticket; onChange(): Promise<unknown> };

function Assignee({ ticket: { id, assignee = null }, onChange }: AssigneeProps) {
  const { api, userId } = useShell();
  const action = useAction();
  const isMine = assignee?.id === userId;
  const change = async () => {
    if (action.isBusy) return;
    const request = { ticket_id: id, assigned: !isMine, expected: assignee?.id ?? null };
    await action.run(async () => void (await api.admin.assignTicket.mutate(request)));
    await onChange();
  };
  return (
    <div class="assignee">
      <p class={assignee && !isMine ? 'is-others' : undefined} role="status">
        {assignee === null && 'No one is working on this ticket'}
        {isMine && 'You are working on this ticket'}
        {assignee && !isMine && (
          <>
            <bdi>{nameOf(assignee)}</bdi> is working on this ticket
          </>
        )}
      </p>
      <button type="button" class="button is-small" aria-disabled={action.isBusy} onClick={change}>
        {isMine ? 'Release' : assignee ? 'Take over' : 'Take'}
      </button>
      <FailureNotice of={action} />
    </div>
  );
}

/**
 * After an answer or a close: the ticket that has waited longest among those that no colleague has taken. @param done what was done
 */
function NextTicket({ ticketId, done }: { ticketId: number; done: string }) {
  const { userId } = useShell();
  const { content } = useQuery((api) => findNext(api, { ticketId, userId }));
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => focusAndReveal(link.current), [content]);
  return (
    <p class="notice" role="status">
      <span>
        {done}. {content && <Next link={link} next={content.next} />}
      </span>
    </p>
  );
}

async function findNext({ admin }: Api, { ticketId, userId }: { ticketId: number; userId: number | null }) {
  const { tickets } = await admin.listTickets.query({ sort: 'waiting', limit: listedTicketsMax });
  const isNext = ({ id, assignee }: Ticket) => id !== ticketId && (assignee?.id ?? userId) === userId;
  return { next: tickets.find(isNext) ?? null };
}

function Next({ link, next }: { link: RefObject<HTMLAnchorElement | null>; next: Ticket | null }) {
  if (!next)
    return (
      <>
        No other ticket is waiting.{' '}
        <a ref={link} href="#support">
          All tickets
        </a>
      </>
    );
  return (
    <>
      Next:{' '}
      <a ref={link} href={`#support/${next.id}`}>
        <bdi>{next.subject}</bdi>
      </a>
      {next.updated_at && (
        <>
          , asked <Time iso={next.updated_at} isRelative />
        </>
      )}
    </>
  );
}
