/** One message of a conversation, or a note of the staff. Addresses in it become links; nothing else is markup. */
import type { Message, Note } from '../api.ts';
import { Icon } from '../icon.tsx';
import { momentOf } from '../time.tsx';
import type { Side } from './desk.ts';

export const MessageItem = ({ message, side }: { message: Message; side: Side }) => (
  <li tabIndex={-1} class={message.author === side ? 'message is-own' : 'message'}>
    <p class="message-head">
      <strong dir="auto">{message.name}</strong>
      <span>{message.author === 'staff' ? 'Staff' : 'Customer'}</span>
      <time dateTime={message.created_at}>{momentOf(message.created_at)}</time>
    </p>
    <p class="message-text" dir="auto">
      {linked(message.message)}
    </p>
  </li>
);

export const NoteItem = ({ note }: { note: Note }) => (
  <li tabIndex={-1} class="message is-note">
    <p class="message-head">
      <strong dir="auto">{note.name}</strong>
      <span class="note-mark">
        <Icon name="lock" />
        Internal note
      </span>
      <time dateTime={note.created_at}>{momentOf(note.created_at)}</time>
    </p>
    <p class="message-text" dir="auto">
      {linked(note.text)}
    </p>
  </li>
);

/** Without what follows an address in a sentence. */
const address = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}])/;

/** A text in pieces, of which every second one is an address. */
const linked = (text: string) =>
  text.split(address).map((piece, index) =>
    index % 2 === 1 && URL.canParse(piece) ? (
      <a key={index} href={piece} target="_blank" rel="noreferrer nofollow">
        {piece}
      </a>
    ) : (
      piece
    ),
  );
