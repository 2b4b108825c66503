/** Tickets, the customer's or the support desk's: the list, or the ticket in the address with all actions on it. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { listedTicketsMax } from '../../../../models/bounds.ts';
import type { Api, Ticket, TicketPage } from '../api.ts';
import { focusAndReveal, useFocusAfterChange } from '../focus.ts';
import { FailureNotice } from '../form.tsx';
import { useAction, useShell } from '../shell.ts';
import { Time } from '../time.tsx';
import { useQuery } from '../use-query.ts';
import { ResourceView, useTitle } from '../view.tsx';
import { AnswerArea } from './answer-area.tsx';
import { CustomerAside } from './customer-aside.tsx';
import { createOwnDesk, createSupportDesk, type Desk, nameOf, type TicketFilter } from './desk.ts';
import { useDeskKeys } from './desk-keys.tsx';
import { Messages } from './messages.tsx';
import { StatusBadge, TicketList } from './ticket-list.tsx';
import { useConversation } from './use-conversation.ts';
import { announceTicketChange } from './use-counts.ts';

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
  const { dialog, hint } = useDeskKeys({ desk, filter, id });
  return (
    <>
      {id === null ? (
        <TicketList {...{ desk, filter, hint, lastId: lastId.current }} onFilter={setFilter} />
      ) : (
        <Conversation key={id} {...{ desk, id, hint }} />
      )}
      {dialog}
    </>
  );
}

type ConversationProps = { desk: Desk; id: number; hint: ComponentChildren };

function Conversation({ desk, id, hint }: ConversationProps) {
  const { query, ...conversation } = useConversation(desk, id);
  useFocusAfterChange(query.content);
  useTitle(query.content?.ticket.subject ?? `Ticket #${id}`);
  return (
    <main class={desk.isStaff ? 'main is-desk' : 'main'}>
      <p class="desk-filter">
        <a href={desk.hash}>All tickets</a>
        {hint}
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
      announceTicketChange();
      notify(willBeOpen ? 'Ticket reopened' : 'Ticket closed');
      await refresh();
      setDone(willBeOpen ? null : 'Ticket closed');
    });
  const onSent = async () => {
    announceTicketChange();
    await refresh();
    setAnswers((count) => count + 1);
    setDone('Answer sent');
  };
  return (
    <div class="conversation">
      <div class="conversation-main">
        <TicketHead ticket={ticket} desk={desk}>
          {desk.isStaff && <Assignee ticket={ticket} onChange={refresh} />}
        </TicketHead>
        <Messages messages={messages} notes={notes} side={desk.side} onEarlier={showEarlier} />
        <AnswerArea
          {...{ desk, page, onSent, action }}
          onChange={refresh}
          onSetOpen={setOpen}
          sentCount={answers}
        />
        {desk.isStaff && done && <NextTicket key={`${done} ${answers}`} {...{ done }} ticketId={ticket.id} />}
      </div>
      {desk.isStaff && <CustomerAside ticketId={ticket.id} reference={ticket.service_reference} />}
    </div>
  );
}

type HeadProps = { ticket: Ticket; desk: Desk; children: ComponentChildren };

const TicketHead = ({ ticket, desk, children }: HeadProps) => (
  <div>
    <h1 tabIndex={-1} class="ticket-title" dir="auto">
      {ticket.subject}
    </h1>
    <div class="ticket-facts">
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
      {children}
    </div>
  </div>
);

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
        {assignee === null && 'Not taken'}
        {isMine && 'Taken by you'}
        {assignee && !isMine && (
          <>
            Taken by <bdi>{nameOf(assignee)}</bdi>
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
        {done}. {content && <Next link={link} {...content} />}
      </span>
    </p>
  );
}

async function findNext({ admin }: Api, { ticketId, userId }: { ticketId: number; userId: number | null }) {
  const { tickets } = await admin.listTickets.query({ sort: 'waiting', limit: listedTicketsMax });
  const others = tickets.filter(({ id }) => id !== ticketId);
  const next = others.find(({ assignee }) => (assignee?.id ?? userId) === userId) ?? null;
  return { next, takenCount: others.length };
}

interface NextProps extends Awaited<ReturnType<typeof findNext>> {
  link: RefObject<HTMLAnchorElement | null>;
}

function Next({ link, next, takenCount }: NextProps) {
  if (!next)
    return (
      <>
        {takenCount > 0
          ? `Colleagues are working on the ${takenCount === 1 ? 'ticket' : `${takenCount} tickets`} still waiting.`
          : 'The queue is empty.'}{' '}
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
