/** The messages of a ticket, and the staff's notes between them. A long conversation opens at its newest one. */
import { useEffect, useRef } from 'preact/hooks';
import type { Message, Note } from '../api.ts';
import { focus } from '../focus.ts';
import type { Side } from './desk.ts';
import { MessageItem, NoteItem } from './message-item.tsx';

interface Props {
  messages: Message[];
  notes: Note[];
  side: Side;
  onEarlier(): Promise<unknown>;
}

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
      <ol ref={list} class="messages" aria-label="Messages">
        {inOrder(messages, notes).map((entry) =>
          'number' in entry ? (
            <MessageItem key={entry.number} message={entry} side={side} />
          ) : (
            <NoteItem key={entry.id} note={entry} />
          ),
        )}
      </ol>
    </>
  );
}

/** By time; a note from before the first message shown comes with that of its time. */
function inOrder(messages: Message[], notes: Note[]): (Message | Note)[] {
  const [first] = messages;
  const shown =
    first && first.number > 1 ? notes.filter((note) => note.created_at >= first.created_at) : notes;
  return [...messages, ...shown].toSorted((a, b) => a.created_at.localeCompare(b.created_at));
}
