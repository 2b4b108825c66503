/** How many tickets wait for the user, for the navigation. It is read again as soon as this tab changes a ticket. */
import { useEffect } from 'preact/hooks';
import { useQuery } from '../use-query.ts';

const pollMs = 30_000;

const changes = new EventTarget();

export const announceTicketChange = () => changes.dispatchEvent(new Event('change'));

/** @param address a change reads again, as what the user reads there no longer counts */
export function useTicketCounts(address: string) {
  const { content, reload } = useQuery((api) => api.tickets.counts.query(), {
    of: address,
    pace: () => pollMs,
  });
  useEffect(() => {
    changes.addEventListener('change', reload);
    return () => changes.removeEventListener('change', reload);
  }, [reload]);
  return content;
}
