/** Words for a subscription's status and renewal date, the same for its owner and for support. */
const late = 'Payment is late';
const ended = ['Canceled', 'Ended', 'Never paid'];

/** Null: nothing is known about the date, such as a renewal in the past that was paid. */
export function renewalOf(renewsAt: string, status: string): string | null {
  const isPast = Date.parse(renewsAt) < Date.now();
  if (ended.includes(status)) return isPast ? 'Ended' : 'Ends';
  if (isPast) return status === late ? 'Was due' : null;
  return 'Renews';
}

type Status = { words: string; badge: string };

const good = 'badge is-success';
const due = 'badge is-warning';
const over = 'badge';

/** Payment providers use different names for the same status. */
const known: Partial<Record<string, Status>> = {
  active: { words: 'Active', badge: good },
  trialing: { words: 'On trial', badge: good },
  past_due: { words: late, badge: due },
  unpaid: { words: 'Not paid', badge: due },
  incomplete: { words: 'Payment is not complete', badge: due },
  incomplete_expired: { words: 'Never paid', badge: over },
  pending: { words: 'Not started yet', badge: due },
  paused: { words: 'Paused', badge: over },
  suspended: { words: 'Suspended', badge: due },
  canceled: { words: 'Canceled', badge: over },
  cancelled: { words: 'Canceled', badge: over },
  terminated: { words: 'Ended', badge: over },
  expired: { words: 'Ended', badge: over },
};

export const statusOf = (status: string): Status =>
  known[
    status
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_')
  ] ?? { words: asWords(status), badge: over };

function asWords(status: string): string {
  const words = status.replace(/_+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
