/** One ticket: its messages, a reply, and closing or reopening it. */
import { useState } from 'preact/hooks';
import type { Ticket, TicketPage } from '../api.ts';
import { useKeptFocus } from '../focus.ts';
import { FailureNotice } from '../form.tsx';
import { ResourceView } from '../resource-view.tsx';
import { type Action, useAction, useShell } from '../shell.ts';
import { useTitle } from '../use-title.ts';
import { AnswerArea } from './answer-area.tsx';
import { Assignee } from './assignee.tsx';
import { CustomerAside } from './customer-aside.tsx';
import { type Desk, isOpen } from './desk.ts';
import { Messages } from './messages.tsx';
import { NextTicket } from './next-ticket.tsx';
import { StatusBadge } from './status-badge.tsx';
import { useConversation } from './use-conversation.ts';

export function Conversation({ desk, id }: { desk: Desk; id: number }) {
  const { query, showEarlier, refresh } = useConversation(desk, id);
  useKeptFocus(query.content);
  useTitle(query.content?.ticket.subject ?? `Ticket #${id}`);
  return (
    <main class={desk.isStaff ? 'main is-desk' : 'main'}>
      <p>
        <a href={desk.hash}>All tickets</a>
      </p>
      <ResourceView of={query}>
        {(page) => <Loaded desk={desk} page={page} onEarlier={showEarlier} onChange={refresh} />}
      </ResourceView>
    </main>
  );
}

interface LoadedProps {
  desk: Desk;
  page: TicketPage;
  onEarlier(): Promise<unknown>;
  /** Shows the ticket as it is now. */
  onChange(): Promise<unknown>;
}

function Loaded({ desk, page, onEarlier, onChange }: LoadedProps) {
  const { ticket, messages, notes = [] } = page;
  const { notify } = useShell();
  const action = useAction();
  const [answers, setAnswers] = useState(0);
  const [done, setDone] = useState<string | null>(null);
  const setOpen = (willBeOpen: boolean) =>
    action.run(async () => {
      await desk.setOpen(ticket.id, willBeOpen);
      notify(willBeOpen ? 'Ticket reopened' : 'Ticket closed');
      await onChange();
      setDone(willBeOpen ? null : 'Ticket closed');
    });
  const onSent = async () => {
    await onChange();
    setAnswers((count) => count + 1);
    setDone('Answer sent');
  };
  return (
    <div class="conversation">
      <div class="conversation-main">
        <TicketHead ticket={ticket} desk={desk} />
        {desk.isStaff && <Assignee ticket={ticket} onChange={onChange} />}
        <Messages messages={messages} notes={notes} side={desk.side} onEarlier={onEarlier} />
        <AnswerArea {...{ desk, page, onChange, onSent }} sentCount={answers} />
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

interface StatusProps {
  ticket: Ticket;
  action: Action;
  onChange(willBeOpen: boolean): void;
}

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
