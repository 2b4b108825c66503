/** How many tickets wait for the user, as the tabs show it. */
import type { TicketCounts } from './api.ts';
import { useQuery } from './use-query.ts';

const everyMs = 30_000;

/** @param place asked again when it changes: what is read there does not wait any more */
export const useCounts = (place: string): TicketCounts | null =>
  useQuery((api) => api.tickets.counts.query(), { of: place, pace: () => everyMs }).content;
