/** Tickets: the list, or the conversation that the address names. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useShell } from '../shell.ts';
import { Conversation } from './conversation.tsx';
import { createOwnDesk, createSupportDesk } from './desk.ts';
import type { Route } from './route.ts';
import { TicketList } from './ticket-list.tsx';

export function TicketsSection({ section, ticketId }: Route) {
  const { api } = useShell();
  const desk = useMemo(
    () => (section === 'support' ? createSupportDesk(api) : createOwnDesk(api)),
    [api, section],
  );
  const lastId = useRef<number | null>(null);
  useEffect(() => {
    lastId.current = ticketId;
  }, [ticketId]);
  return ticketId === null ? (
    <TicketList key={desk.side} desk={desk} lastId={lastId.current} />
  ) : (
    <Conversation key={`${desk.side} ${ticketId}`} desk={desk} id={ticketId} />
  );
}
