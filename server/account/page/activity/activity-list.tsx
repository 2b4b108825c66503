/** The calls themselves, newest first, a page at a time. */
import { useEffect, useState } from 'preact/hooks';
import type { Activity, Server } from '../api.ts';
import { Failed } from '../failed.tsx';
import { useFocusOnAdded } from '../focus.ts';
import { useAction, useShell } from '../shell.ts';
import { momentOf } from '../time.tsx';

export function ActivityList() {
  const { entries, hasMore, action, load } = useEntries();
  const serverNames = useServerNames(entries);
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
            <Entry key={entry.id} {...{ entry, serverNames }} />
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

/** The user's servers, by identifier and by full uuid, once one is named; without them the identifier is shown. */
function useServerNames(entries: Activity[] | null): ReadonlyMap<string, string> {
  const { api } = useShell();
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const isNamed = entries?.some(({ resource, target }) => resource === 'server' && target) ?? false;
  useEffect(() => {
    const show = ({ servers }: { servers: Server[] }) =>
      setNames(
        new Map(
          servers.flatMap(({ identifier, uuid, name }) => [
            [identifier, name],
            [uuid, name],
          ]),
        ),
      );
    if (isNamed) api.servers.list.query().then(show, () => {});
  }, [api, isNamed]);
  return names;
}

interface EntryProps {
  entry: Activity;
  serverNames: ReadonlyMap<string, string>;
}

function What({ entry: { operation, words, resource, target }, serverNames }: EntryProps) {
  if (!resource)
    return (
      <>
        <strong>{words}</strong>
        {target && !operation?.startsWith('session') && <code>{target}</code>}
      </>
    );
  if (!target) return <strong>{`${words} a ${resource}`}</strong>;
  const name = resource === 'server' ? serverNames.get(target) : undefined;
  return (
    <strong>
      {words} {name === undefined ? `${resource} ` : <bdi>{name}</bdi>}
      {name === undefined && <code>{target}</code>}
    </strong>
  );
}

function Entry({ entry, serverNames }: EntryProps) {
  const { at, operation, status, code, key, app, via, address } = entry;
  const who = app ?? (key ? `${key.name} (${key.prefix}…)` : null);
  const by = operation === 'credentials.revoke' ? 'A finder of it' : who;
  const isPage = via === 'account';
  return (
    <li tabIndex={-1} class="activity-entry">
      <span class="activity-what">
        <What {...{ entry, serverNames }} />
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
