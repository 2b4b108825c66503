/** The calls themselves, newest first, a page at a time. */
import { useEffect, useState } from 'preact/hooks';
import type { Activity } from '../api.ts';
import { Failed } from '../failed.tsx';
import { useFocusOnAdded } from '../focus.ts';
import { useAction, useShell } from '../shell.ts';
import { momentOf } from '../time.tsx';

export function ActivityList() {
  const { entries, hasMore, action, load } = useEntries();
  const { list, expectMore } = useFocusOnAdded<HTMLUListElement>(entries?.length ?? 0);
  const showMore = () => {
    expectMore();
    void load();
  };
  return (
    <section class="activity" aria-labelledby="activity-list">
      <h2 id="activity-list">Calls, newest first</h2>
      {action.failure && <Failed message={action.failure} onRetry={load} />}
      {entries?.length === 0 && <p class="note">Nothing in the last 90 days.</p>}
      {entries && entries.length > 0 && (
        <ul ref={list} class="panel" aria-label="Calls">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      {hasMore && (
        <button type="button" class="button" onClick={showMore} aria-disabled={action.isBusy}>
          Show older calls
        </button>
      )}
    </section>
  );
}

function useEntries() {
  const { api } = useShell();
  const action = useAction();
  const [entries, setEntries] = useState<Activity[] | null>(null);
  const [hasMore, setHasMore] = useState(false);
  const load = async () => {
    if (action.isBusy) return;
    await action.run(async () => {
      const before = entries?.at(-1)?.id;
      const page = await api.activity.list.query(before ? { before } : {});
      setEntries([...(entries ?? []), ...page.activity]);
      setHasMore(page.has_more);
    });
  };
  useEffect(() => void load(), [api]);
  return { entries, hasMore, action, load };
}

/** In the words of the page for what is done on it. */
const words: Record<string, string> = {
  'session.signIn': 'Sign-in',
  'session.signInByLink': 'Sign-in by link',
  'session.finishSingleSignOn': 'Single sign-on',
  'session.signOut': 'Sign-out',
  'session.changePassword': 'Password changed',
  'sessions.end': 'Session ended',
  'sessions.endOthers': 'All other sessions ended',
  'keys.create': 'Key created',
  'keys.rotate': 'Key rotated',
  'keys.revoke': 'Key revoked',
  'credentials.revoke': 'Found leaked, and revoked by who found it',
};

function Entry({ entry }: { entry: Activity }) {
  const { at, operation, target, status, code, key, app, via, address } = entry;
  const who = app ?? (key ? `${key.name} (${key.prefix}…)` : null);
  const by = operation === 'credentials.revoke' ? 'A finder of it' : who;
  const isPage = via === 'account';
  return (
    <li tabIndex={-1} class="activity-entry">
      <span class="activity-what">
        <strong>{words[operation ?? ''] ?? operation ?? 'Refused call'}</strong>
        {target && !operation?.startsWith('session') && <code>{target}</code>}
      </span>
      <span class={status < 400 ? 'badge' : 'badge is-warning'}>
        {status < 400 ? `OK ${status}` : `Refused ${status} ${code}`}
      </span>
      <span class="activity-who">
        {[by, isPage ? 'Account page' : via, address].filter(Boolean).map((part) => (
          <>
            <bdi>{part}</bdi> ·{' '}
          </>
        ))}
        <time dateTime={at}>{momentOf(at)}</time>
      </span>
    </li>
  );
}
