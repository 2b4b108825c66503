/** A ticket as a conversation: the reader's side at the right, the other at the left, and the staff's notes between. */
import { useEffect, useRef } from 'preact/hooks';
import { minuteMs } from '../../../../models/support/durations.ts';
import type { Message, Note } from '../api.ts';
import { focus } from '../focus.ts';
import { Icon } from '../icon.tsx';
import { linked } from '../text.tsx';
import { dateOf, formatDateTime } from '../time.tsx';
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
  const entries = inOrder(messages, notes);
  return (
    <>
      {first > 1 && (
        <button type="button" class="button" onClick={showEarlier}>
          Show earlier messages
        </button>
      )}
      <ol ref={list} class="messages" aria-label="Messages">
        {entries.map((entry, index) => (
          <Entry
            key={'note' in entry ? `note ${entry.number}` : entry.number}
            entry={entry}
            before={entries[index - 1]}
            side={side}
          />
        ))}
      </ol>
    </>
  );
}

type Either = Message | Note;

/** By time. A note older than the first message shown appears once messages of its time are loaded. */
function inOrder(messages: Message[], notes: Note[]): Either[] {
  const [first] = messages;
  const shown =
    first && first.number > 1 ? notes.filter((note) => note.created_at >= first.created_at) : notes;
  return [...messages, ...shown].toSorted((a, b) => a.created_at.localeCompare(b.created_at));
}

/** Messages of one author within this time share a head. */
const groupMs = 5 * minuteMs;

interface Head {
  kind: 'own' | 'other' | 'note';
  name: string;
  role: string;
}

function headOf(entry: Either, side: Side): Head {
  if ('note' in entry) return { kind: 'note', name: nameOf(entry.author), role: 'Internal note' };
  const { author, name } = entry;
  if (author !== side) return { kind: 'other', name, role: author === 'staff' ? 'Support' : 'Customer' };
  return side === 'customer'
    ? { kind: 'own', name: 'You', role: '' }
    : { kind: 'own', name, role: 'Support' };
}

type EntryProps = { entry: Either; before: Either | undefined; side: Side };

function Entry({ entry, before, side }: EntryProps) {
  const { created_at: iso } = entry;
  const { kind, name, role } = headOf(entry, side);
  const head = before && headOf(before, side);
  const isNewDay = !before || dateOf(before.created_at) !== dateOf(iso);
  const isContinued =
    !isNewDay &&
    head?.kind === kind &&
    head.name === name &&
    Date.parse(iso) - Date.parse(before.created_at) < groupMs;
  return (
    <li tabIndex={-1} class={`message is-${kind}`}>
      {isNewDay && <p class="note message-day">{dayOf(iso)}</p>}
      {!isContinued && kind === 'other' && (
        <span class="avatar" dir="auto" aria-hidden="true">
          {[...name.trim()][0]?.toUpperCase()}
        </span>
      )}
      <p class={isContinued ? 'visually-hidden' : 'message-head'}>
        <strong dir="auto">{name}</strong>
        {role && role !== name && (
          <span class={kind === 'note' ? 'badge is-warning' : undefined}>
            {kind === 'note' && <Icon name="lock" />}
            {role}
          </span>
        )}
        <time dateTime={iso} title={formatDateTime(iso)}>
          {timeOf(iso)}
        </time>
      </p>
      <p class="message-text" dir="auto">
        {linked('note' in entry ? entry.note : entry.message)}
      </p>
    </li>
  );
}

function dayOf(iso: string): string {
  const day = dateOf(iso);
  return day === dateOf(new Date().toISOString()) ? 'Today' : day;
}

const timeOf = (iso: string) =>
  new Date(iso).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
