/** How many tickets wait for the user, as the tabs show it. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { TicketCounts } from './api.ts';
import { useShell } from './shell.ts';
import { usePolling } from './use-polling.ts';

const everyMs = 30_000;

/** @param place asked again when it changes: what is read there does not wait any more */
export function useCounts(place: string): TicketCounts | null {
  const { api } = useShell();
  const [counts, setCounts] = useState<TicketCounts | null>(null);
  const load = useCallback(async () => setCounts(await api.tickets.counts.query()), [api]);
  useEffect(() => void load().catch(() => {}), [load, place]); // a failure is left to the next time
  usePolling(load, everyMs);
  return counts;
}
