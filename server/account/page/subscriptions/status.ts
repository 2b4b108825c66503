/** The status of a subscription in words: payment providers have names of their own for each. */

type Status = { words: string; badge: string };

const good = 'badge is-success';
const due = 'badge is-warning';
const over = 'badge';

const known: Partial<Record<string, Status>> = {
  active: { words: 'Active', badge: good },
  trialing: { words: 'On trial', badge: good },
  past_due: { words: 'Payment is late', badge: due },
  unpaid: { words: 'Not paid', badge: due },
  incomplete: { words: 'Payment is not complete', badge: due },
  incomplete_expired: { words: 'Was never paid', badge: over },
  pending: { words: 'Waits for its start', badge: due },
  paused: { words: 'Paused', badge: over },
  suspended: { words: 'Suspended', badge: due },
  canceled: { words: 'Canceled', badge: over },
  cancelled: { words: 'Canceled', badge: over },
  terminated: { words: 'Ended', badge: over },
  expired: { words: 'Ended', badge: over },
};

/** One that is not known here is shown as it came, but for what is no letter of a sentence. */
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
