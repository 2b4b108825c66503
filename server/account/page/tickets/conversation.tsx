/** One ticket: its messages, a reply, and closing or reopening it. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Message, Ticket, TicketPage } from '../api.ts';
import { Failed } from '../failed.tsx';
import { useFocusOnAdded, useKeptFocus } from '../focus.ts';
import { type Action, useAction, useShell } from '../shell.ts';
import { KeySkeletons } from '../skeleton.tsx';
import { momentOf } from '../time.tsx';
import { type Desk, isAwaiting, isOpen } from './desk.ts';
import { ReplyForm } from './reply-form.tsx';

export function Conversation({ desk, id }: { desk: Desk; id: number }) {
  const { page, failure, load } = useConversation(desk, id);
  useKeptFocus(page);
  return (
    <main class="main">
      <p>
        <a href={desk.hash}>All tickets</a>
      </p>
      {!page && (failure ? <Failed message={failure} onRetry={() => load(null)} /> : <KeySkeletons />)}
      {page && <Loaded desk={desk} page={page} onMore={() => load(page)} />}
    </main>
  );
}

interface LoadedProps {
  desk: Desk;
  page: TicketPage;
  onMore(): Promise<void>;
}

function Loaded({ desk, page: { ticket, messages, has_more }, onMore }: LoadedProps) {
  const { notify } = useShell();
  const action = useAction();
  const { list, expectMore } = useFocusOnAdded<HTMLOListElement>(messages.length);
  const showMore = () => {
    expectMore();
    void onMore();
  };
  const setOpen = (willBeOpen: boolean) =>
    action.run(async () => {
      await desk.setOpen(ticket.id, willBeOpen);
      notify(willBeOpen ? 'Ticket reopened' : 'Ticket closed');
      await onMore();
    });
  return (
    <>
      <TicketHead ticket={ticket} desk={desk} />
      <ol ref={list} class="messages" aria-label="Messages">
        {messages.map((message) => (
          <MessageItem key={message.number} message={message} desk={desk} />
        ))}
      </ol>
      {has_more && (
        <button type="button" class="button" onClick={showMore}>
          Show more messages
        </button>
      )}
      {isOpen(ticket) && <ReplyForm {...{ desk, ticket, onSent: onMore }} />}
      <StatusActions ticket={ticket} action={action} onChange={setOpen} />
    </>
  );
}

/** Loads the messages after those shown, and the ticket as it is now. */
function useConversation(desk: Desk, id: number) {
  const { notify } = useShell();
  const { failure, run } = useAction();
  const [page, setPage] = useState<TicketPage | null>(null);
  const load = useCallback(
    (shown: TicketPage | null) =>
      run(async () => {
        const before = shown?.messages ?? [];
        const next = await desk.read(id, before.at(-1)?.number ?? 0);
        setPage({ ...next, messages: [...before, ...next.messages] });
      }),
    [desk, id],
  );
  useEffect(() => void load(null), [load]);
  useEffect(() => {
    if (failure && page) notify(failure);
  }, [failure, page, notify]);
  return { page, failure, load };
}

const TicketHead = ({ ticket, desk }: { ticket: Ticket; desk: Desk }) => (
  <div>
    <h1 tabIndex={-1} class="ticket-title">
      {ticket.subject}
    </h1>
    <p class="ticket-facts">
      <span class="badge">{ticket.status}</span>
      {isAwaiting(ticket, desk.side) && <span class="badge is-warning">Waiting for you</span>}
      <span>
        #{ticket.id}
        {ticket.user && `, ${ticket.user.email}`}
        {ticket.service_name && `, about ${ticket.service_name}`}
      </span>
    </p>
  </div>
);

const MessageItem = ({ message, desk }: { message: Message; desk: Desk }) => (
  <li tabIndex={-1} class={message.author === desk.side ? 'message is-own' : 'message'}>
    <p class="message-head">
      <strong>{message.name}</strong>
      <span>{message.author === 'staff' ? 'Staff' : 'Customer'}</span>
      <time dateTime={message.created_at}>{momentOf(message.created_at)}</time>
    </p>
    <p class="message-text">{message.message}</p>
  </li>
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
      <div role="alert">{action.failure && <p class="notice is-danger">{action.failure}</p>}</div>
      <button type="button" class="button" aria-disabled={action.isBusy} onClick={change}>
        {willBeOpen ? 'Reopen ticket' : 'Close ticket'}
      </button>
    </div>
  );
}
