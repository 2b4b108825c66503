/** A ticket and its messages: the newest first of all, earlier ones on demand, and new ones as they come. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Message, TicketPage } from '../api.ts';
import { useAction, useShell } from '../shell.ts';
import { usePolling } from '../use-polling.ts';
import { type Desk, pageSize } from './desk.ts';

const pollMs = 5000;

export function useConversation(desk: Desk, id: number) {
  const { notify, notifyOfFailure } = useShell();
  const { failure, isFinal, run } = useAction();
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
      if (first > 1)
        show(await readBetween(desk, id, { after: Math.max(0, first - 1 - pageSize), before: first }));
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
    if (failure && page) notifyOfFailure(failure);
  }, [failure, page, notifyOfFailure]);
  return {
    ...{ page, failure, isFinal, open, showEarlier },
    refresh: () => run(async () => void (await refresh())),
  };
}

async function readNewest(desk: Desk, id: number): Promise<TicketPage> {
  const first = await desk.read(id, { after: 0, limit: pageSize });
  if (!first.has_more) return first;
  const count = first.ticket.message_count ?? 0;
  return readBetween(desk, id, { after: Math.max(0, count - pageSize), before: count + 1 });
}

/** Several requests where long messages end a page before its limit. */
async function readBetween(desk: Desk, id: number, { after, before }: { after: number; before: number }) {
  let read = await desk.read(id, { after, limit: before - 1 - after });
  for (let last = lastOf(read); read.has_more && last < before - 1; last = lastOf(read))
    read = merge(read, await desk.read(id, { after: last, limit: before - 1 - last }));
  return read;
}

const lastOf = ({ messages }: TicketPage) => messages.at(-1)?.number ?? 0;

/** By their numbers, as two requests may bring the same message. */
function merge(shown: TicketPage | null, read: TicketPage): TicketPage {
  const byNumber = new Map<number, Message>();
  for (const message of [...(shown?.messages ?? []), ...read.messages]) byNumber.set(message.number, message);
  return { ...read, messages: [...byNumber.values()].toSorted((a, b) => a.number - b.number) };
}
