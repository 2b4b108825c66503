/** What the views of one announcement share: what they are given, and whether it waits for its time. */
import type { ManagedAnnouncement } from '../api.ts';

export interface AnnouncementProps {
  item: ManagedAnnouncement;
  onChanged(): Promise<unknown>;
}

export const isScheduled = ({ published_at }: ManagedAnnouncement): boolean =>
  published_at !== null && Date.parse(published_at) > Date.now();
