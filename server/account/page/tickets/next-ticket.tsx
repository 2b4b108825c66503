/** After an answer: the ticket that has waited longest, to go on with. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Api, Ticket } from '../api.ts';
import { present } from '../focus.ts';
import { Time } from '../time.tsx';
import { useQuery } from '../use-query.ts';

export function NextTicket({ ticketId }: { ticketId: number }) {
  const { content } = useQuery((api) => findNext(api, ticketId));
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => present(link.current), [content]);
  return (
    <p class="notice" role="status">
      <span>Answer sent. {content && <Next link={link} next={content.next} />}</span>
    </p>
  );
}

/** Another one than the one that was answered; null: none waits. */
async function findNext({ support }: Api, answeredId: number) {
  const { tickets } = await support.list.query({ sort: 'waiting', limit: 2 });
  return { next: tickets.find(({ id }) => id !== answeredId) ?? null };
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
