/** What a ticket's status means to its reader, in a word and a colour. */
import type { Ticket } from '../api.ts';
import { isOpen, type Side } from './desk.ts';

interface Meaning {
  word: string;
  /** Left out: nothing is to be done. */
  tone?: 'is-warning' | 'is-success' | 'is-accent';
}

function meaningOf(ticket: Ticket, side: Side): Meaning {
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
