/** The messages of a ticket. A long conversation opens at its newest one. */
import { useEffect, useRef } from 'preact/hooks';
import type { Message } from '../api.ts';
import { focus } from '../focus.ts';
import type { Side } from './desk.ts';
import { MessageItem } from './message-item.tsx';

interface Props {
  messages: Message[];
  side: Side;
  onEarlier(): Promise<unknown>;
}

export function Messages({ messages, side, onEarlier }: Props) {
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
        {messages.map((message) => (
          <MessageItem key={message.number} message={message} side={side} />
        ))}
      </ol>
    </>
  );
}
