/** A ticket and its messages: the newest first of all, earlier ones on demand, and new ones as they come. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Message, TicketPage } from '../api.ts';
import { useAction, useShell } from '../shell.ts';
import { usePolling } from '../use-polling.ts';
import { type Desk, pageSize } from './desk.ts';

const pollMs = 5000;

export function useConversation(desk: Desk, id: number) {
  const { notify } = useShell();
  const { failure, run } = useAction();
  const [page, setPage] = useState<TicketPage | null>(null);
  const shown = useRef<TicketPage | null>(null);
  const show = useCallback((read: TicketPage) => {
    shown.current = merge(shown.current, read);
    setPage(shown.current);
  }, []);
  const open = useCallback(() => run(async () => show(await readNewest(desk, id))), [desk, id]);
  const showEarlier = () =>
    run(async () => {
      const first = shown.current?.messages[0]?.number ?? 1;
      const after = Math.max(0, first - 1 - pageSize);
      if (first > 1) show(await desk.read(id, { after, limit: first - 1 - after }));
    });
  const refresh = async () => {
    const last = shown.current?.messages.at(-1)?.number ?? 0;
    const read = await desk.read(id, { after: last, limit: pageSize });
    show(read);
    return read.messages.filter(({ number }) => number > last);
  };
  const poll = async () => {
    const added = await refresh();
    if (added.some(({ author }) => author !== desk.side)) notify('New message');
  };
  useEffect(() => void open(), [open]);
  usePolling(poll, page ? pollMs : null);
  useEffect(() => {
    if (failure && page) notify(failure);
  }, [failure, page, notify]);
  return { page, failure, open, showEarlier, refresh: () => run(async () => void (await refresh())) };
}

async function readNewest(desk: Desk, id: number): Promise<TicketPage> {
  const first = await desk.read(id, { after: 0, limit: pageSize });
  if (!first.has_more) return first;
  const after = (first.ticket.message_count ?? 0) - pageSize;
  return desk.read(id, { after: Math.max(0, after), limit: pageSize });
}

/** By their numbers, as two requests may bring the same message. */
function merge(shown: TicketPage | null, read: TicketPage): TicketPage {
  const byNumber = new Map<number, Message>();
  for (const message of [...(shown?.messages ?? []), ...read.messages]) byNumber.set(message.number, message);
  return { ...read, messages: [...byNumber.values()].toSorted((a, b) => a.number - b.number) };
}
