/** The messages of a ticket, and the staff's notes between them. A long conversation opens at its newest one. */
import { useEffect, useRef } from 'preact/hooks';
import type { Message, Note } from '../api.ts';
import { focus } from '../focus.ts';
import { Icon } from '../icon.tsx';
import { linked } from '../text.tsx';
import { formatDateTime } from '../time.tsx';
import { nameOf, type Side } from './desk.ts';

type Props = { messages: Message[]; notes: Note[]; side: Side; onEarlier(): Promise<unknown> };

export function Messages({ messages, notes, side, onEarlier }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const first = messages[0]?.number ?? 1;
  useEffect(() => list.current?.lastElementChild?.scrollIntoView({ block: 'nearest' }), []);
  const showEarlier = async () => {
    await onEarlier();
    focus(list.current?.firstElementChild);
  };
  return (
    <>
      {first > 1 && (
        <button type="button" class="button" onClick={showEarlier}>
          Show earlier messages
        </button>
      )}
      <ol ref={list} class="messages stack" aria-label="Messages">
        {inOrder(messages, notes).map((entry) =>
          'note' in entry ? (
            <NoteItem key={`note ${entry.number}`} note={entry} />
          ) : (
            <MessageItem key={entry.number} message={entry} side={side} />
          ),
        )}
      </ol>
    </>
  );
}

/** By time. A note older than the first message shown appears once messages of its time are loaded. */
function inOrder(messages: Message[], notes: Note[]): (Message | Note)[] {
  const [first] = messages;
  const shown =
    first && first.number > 1 ? notes.filter((note) => note.created_at >= first.created_at) : notes;
  return [...messages, ...shown].toSorted((a, b) => a.created_at.localeCompare(b.created_at));
}

const MessageItem = ({ message, side }: { message: Message; side: Side }) => (
  <li tabIndex={-1} class={message.author === side ? 'message is-own' : 'message'}>
    <p class="message-head">
      <strong dir="auto">{message.name}</strong>
      <span>{message.author === 'staff' ? 'Staff' : 'Customer'}</span>
      <time dateTime={message.created_at}>{formatDateTime(message.created_at)}</time>
    </p>
    <p class="message-text" dir="auto">
      {linked(message.message)}
    </p>
  </li>
);

const NoteItem = ({ note }: { note: Note }) => (
  <li tabIndex={-1} class="message is-note">
    <p class="message-head">
      <strong dir="auto">{nameOf(note.author)}</strong>
      <span class="note-mark">
        <Icon name="lock" />
        Internal note
      </span>
      <time dateTime={note.created_at}>{formatDateTime(note.created_at)}</time>
    </p>
    <p class="message-text" dir="auto">
      {linked(note.note)}
    </p>
  </li>
);
