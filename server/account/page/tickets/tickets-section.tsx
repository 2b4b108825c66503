/** Tickets, a customer's own or at the support desk: the list, or the conversation that the address names. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useShell } from '../shell.ts';
import { Conversation } from './conversation.tsx';
import { createOwnDesk, createSupportDesk, type Desk, type TicketFilter } from './desk.ts';
import { TicketList } from './ticket-list.tsx';

interface Props {
  /** The id of a ticket; null: the list. */
  detail: string | null;
}

export function OwnTickets({ detail }: Props) {
  const { api } = useShell();
  return <Tickets desk={useMemo(() => createOwnDesk(api), [api])} id={readId(detail)} />;
}

export function SupportDesk({ detail }: Props) {
  const { api } = useShell();
  return <Tickets desk={useMemo(() => createSupportDesk(api), [api])} id={readId(detail)} />;
}

const readId = (detail: string | null) =>
  detail !== null && /^[1-9]\d{0,14}$/.test(detail) ? Number(detail) : null;

function Tickets({ desk, id }: { desk: Desk; id: number | null }) {
  const [filter, setFilter] = useState<TicketFilter>({ view: 'waiting', search: '' });
  const lastId = useRef<number | null>(null);
  useEffect(() => {
    if (id !== null) lastId.current = id;
  }, [id]);
  if (id === null) return <TicketList {...{ desk, filter, lastId: lastId.current }} onFilter={setFilter} />;
  return <Conversation key={id} desk={desk} id={id} />;
}
