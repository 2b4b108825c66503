/** After an answer, or closing: the ticket that has waited longest and nobody else works on, to go on with. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { listedTicketsMax } from '../../../../models/bounds.ts';
import type { Api, Ticket } from '../api.ts';
import { present } from '../focus.ts';
import { useShell } from '../shell.ts';
import { Time } from '../time.tsx';
import { useQuery } from '../use-query.ts';

interface Props {
  ticketId: number;
  /** What was done with it. */
  done: string;
}

export function NextTicket({ ticketId, done }: Props) {
  const { userId } = useShell();
  const { content } = useQuery((api) => findNext(api, { ticketId, userId }));
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => present(link.current), [content]);
  return (
    <p class="notice" role="status">
      <span>
        {done}. {content && <Next link={link} next={content.next} />}
      </span>
    </p>
  );
}

/** Another one than the one that was answered; null: none waits. */
async function findNext({ admin }: Api, { ticketId, userId }: { ticketId: number; userId: number | null }) {
  const { tickets } = await admin.listTickets.query({ sort: 'waiting', limit: listedTicketsMax });
  const isNext = ({ id, assignee }: Ticket) => id !== ticketId && (assignee?.id ?? userId) === userId;
  return { next: tickets.find(isNext) ?? null };
}

function Next({ link, next }: { link: RefObject<HTMLAnchorElement | null>; next: Ticket | null }) {
  if (!next)
    return (
      <>
        No other ticket waits.{' '}
        <a ref={link} href="#support">
          All tickets
        </a>
      </>
    );
  return (
    <>
      Next:{' '}
      <a ref={link} href={`#support/${next.id}`}>
        <bdi>{next.subject}</bdi>
      </a>
      {next.updated_at && (
        <>
          , asked <Time iso={next.updated_at} isRelative />
        </>
      )}
    </>
  );
}
