/** After an answer: the ticket that has waited longest, to go on with. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Ticket } from '../api.ts';
import { present } from '../focus.ts';
import { useAction } from '../shell.ts';
import { Time } from '../time.tsx';
import type { StaffDesk } from './desk.ts';

export function NextTicket({ desk, ticketId }: { desk: StaffDesk; ticketId: number }) {
  const { run } = useAction();
  const [next, setNext] = useState<Ticket | null | 'loading'>('loading');
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => void run(async () => setNext(await desk.findNext(ticketId))), []);
  useEffect(() => present(link.current), [next]);
  return (
    <p class="notice" role="status">
      <span>Answer sent. {next !== 'loading' && <Next link={link} next={next} />}</span>
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
