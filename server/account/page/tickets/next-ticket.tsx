/** After an answer: the ticket that has waited longest, to go on with. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Ticket } from '../api.ts';
import { present } from '../focus.ts';
import { Time } from '../time.tsx';
import { useQuery } from '../use-query.ts';
import type { StaffDesk } from './desk.ts';

export function NextTicket({ desk, ticketId }: { desk: StaffDesk; ticketId: number }) {
  const { content } = useQuery(async () => ({ next: await desk.findNext(ticketId) }));
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => present(link.current), [content]);
  return (
    <p class="notice" role="status">
      <span>Answer sent. {content && <Next link={link} next={content.next} />}</span>
    </p>
  );
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
