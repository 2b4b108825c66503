/** Formats dates and relative times. */
import { dayMs, hourMs, minuteMs } from '../../../models/support/durations.ts';

const dateFormat = { day: 'numeric', month: 'short', year: 'numeric' } as const;

export const dateOf = (iso: string): string => new Date(iso).toLocaleDateString('en-GB', dateFormat);

export const formatDateTime = (iso: string): string =>
  new Date(iso).toLocaleString('en-GB', { ...dateFormat, hour: '2-digit', minute: '2-digit' });

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
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  return words.format(Math.trunc(ms / largest.ms), largest.unit);
}

/** For past events: never in the future, even if the computer's clock is slow. */
export const formatTimeAgo = (iso: string): string =>
  formatRelativeTime(iso, Math.max(Date.now(), Date.parse(iso)));

/** A date, or how long ago it was; the tooltip shows the exact time. */
export function Time({ iso, isRelative = false }: { iso: string; isRelative?: boolean }) {
  return (
    <time dateTime={iso} title={formatDateTime(iso)}>
      {isRelative ? formatTimeAgo(iso) : dateOf(iso)}
    </time>
  );
}
