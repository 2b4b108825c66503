/** The forms of dates and times on every page: "1 Dec 2026", "24 Nov 2026, 14:05", "3 minutes ago". */
import { dayMs, hourMs, minuteMs } from '../../../models/support/durations.ts';

const dateFormat = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const calendarDay = new Intl.DateTimeFormat('en-GB', { ...dateFormat, timeZone: 'UTC' });
const date = new Intl.DateTimeFormat('en-GB', dateFormat);
const dateTime = new Intl.DateTimeFormat('en-GB', { ...dateFormat, hour: '2-digit', minute: '2-digit' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const dateOf = (iso: string): string => date.format(new Date(iso));

export const formatDateTime = (iso: string): string => dateTime.format(new Date(iso));

/** For a day that is no moment, such as "2026-12-01": it is the same in every time zone. */
export const formatDay = (day: string): string => calendarDay.format(new Date(day));

export function localDayOf(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 10);
}

const units = [
  { unit: 'day', ms: dayMs },
  { unit: 'hour', ms: hourMs },
  { unit: 'minute', ms: minuteMs },
] as const;

/** "in 5 days", "2 hours ago", "just now" */
export function formatRelativeTime(iso: string, now = Date.now()): string {
  const ms = Date.parse(iso) - now;
  const largest = units.find((candidate) => Math.abs(ms) >= candidate.ms);
  if (!largest) return ms > 0 ? 'in less than a minute' : 'just now';
  return relative.format(Math.trunc(ms / largest.ms), largest.unit);
}

/** For past events: never in the future, even if the computer's clock is slow. */
export const formatTimeAgo = (iso: string): string =>
  formatRelativeTime(iso, Math.max(Date.now(), Date.parse(iso)));

/** @param isRelative a moment of the last day shows how long ago it was, an older one its date and time */
export function Time({ iso, isRelative = false }: { iso: string; isRelative?: boolean }) {
  const isFresh = Date.now() - Date.parse(iso) < dayMs;
  const relatively = isFresh ? formatTimeAgo : formatDateTime;
  return (
    <time dateTime={iso} title={formatDateTime(iso)}>
      {isRelative ? relatively(iso) : dateOf(iso)}
    </time>
  );
}
