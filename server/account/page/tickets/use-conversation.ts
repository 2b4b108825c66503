/** A ticket and its messages: the newest first, earlier ones on demand, and new ones as they arrive. */
import { useRef } from 'preact/hooks';
import type { Message, TicketPage } from '../api.ts';
import { useShell } from '../shell.ts';
import { useQuery } from '../use-query.ts';
import { type Desk, pageSize } from './desk.ts';

const pollMs = 5000;

export function useConversation(desk: Desk, id: number) {
  const { notify } = useShell();
  const shown = useRef<TicketPage | null>(null);
  const join = (read: TicketPage) => {
    shown.current = merge(shown.current, read);
    return shown.current;
  };
  const readLater = async (page: TicketPage) => {
    const last = lastOf(page);
    const later = await desk.read(id, { after: last, limit: pageSize });
    const isNew = later.messages.some(({ number, author }) => number > last && author !== desk.side);
    return { page: join(later), isNew };
  };
  const read = async () => {
    if (!shown.current) return join(await readNewest(desk, id));
    const { page, isNew } = await readLater(shown.current);
    if (isNew) notify('New message');
    return page;
  };
  const query = useQuery(read, { pace: (page) => (page ? pollMs : null) });
  const readEarlier = async (page: TicketPage) => {
    const before = page.messages[0]?.number ?? 1;
    if (before <= 1) return page;
    return join(await readBetween(desk, id, { after: Math.max(0, before - 1 - pageSize), before }));
  };
  const change = (read: (page: TicketPage) => Promise<TicketPage>) => async () => {
    const { current } = shown;
    if (current) await query.load(() => read(current));
  };
  return {
    query,
    showEarlier: change(readEarlier),
    refresh: change(async (page) => (await readLater(page)).page),
  };
}

async function readNewest(desk: Desk, id: number): Promise<TicketPage> {
  const first = await desk.read(id, { after: 0, limit: pageSize });
  if (!first.has_more) return first;
  const count = first.ticket.message_count ?? 0;
  return readBetween(desk, id, { after: Math.max(0, count - pageSize), before: count + 1 });
}

/** Takes several requests where long messages end a page before its limit. */
async function readBetween(desk: Desk, id: number, { after, before }: { after: number; before: number }) {
  let read = await desk.read(id, { after, limit: before - 1 - after });
  for (let last = lastOf(read); read.has_more && last < before - 1; last = lastOf(read))
    read = merge(read, await desk.read(id, { after: last, limit: before - 1 - last }));
  return read;
}

const lastOf = ({ messages }: TicketPage) => messages.at(-1)?.number ?? 0;

/** By number, as two requests may return the same message. */
function merge(shown: TicketPage | null, read: TicketPage): TicketPage {
  const byNumber = new Map<number, Message>();
  for (const message of [...(shown?.messages ?? []), ...read.messages]) byNumber.set(message.number, message);
  return { ...read, messages: [...byNumber.values()].toSorted((a, b) => a.number - b.number) };
}
