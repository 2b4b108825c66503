/** The list of calls, newest first, a page at a time. */
import type { Activity, Api, Server } from '../api.ts';
import { Item } from '../item.tsx';
import { ListView } from '../list-view.tsx';
import { formatDateTime } from '../time.tsx';
import { itemsIn, usePages, useQuery } from '../use-query.ts';

export function ActivityList() {
  const pages = usePages(readPage);
  const serverNames = useServerNames(pages.content?.items ?? []);
  return (
    <section class="stack" aria-labelledby="activity-list">
      <h2 id="activity-list">Calls, newest first</h2>
      <ListView
        query={pages}
        items={itemsIn}
        label="Calls"
        more="Show older calls"
        blank="No calls in the last 90 days."
        item={(entry: Activity) => <Entry key={entry.id} {...{ entry, serverNames }} />}
      />
    </section>
  );
}

async function readPage(api: Api, last?: Activity) {
  const { activity, has_more } = await api.activity.list.query(last ? { before: last.id } : {});
  return { items: activity, hasMore: has_more };
}

/** Names of the user's servers by identifier and by uuid, read only if the list has a call about a server. */
function useServerNames(entries: Activity[]): ReadonlyMap<string, string> {
  const isOn = entries.some(({ operation, target }) => operation?.startsWith('servers.') && target);
  const { content } = useQuery((api) => api.servers.list.query(), { isOn });
  const namesOf = ({ identifier, uuid, name }: Server) => [identifier, uuid].map((id) => [id, name] as const);
  return new Map(content?.servers.flatMap(namesOf));
}

type EntryProps = { entry: Activity; serverNames: ReadonlyMap<string, string> };

/** "session.signIn" becomes "Session: sign in": the page's own operations have no summary. */
const inWords = (operation: string) =>
  `${operation.charAt(0).toUpperCase()}${operation.slice(1)}`
    .replaceAll('.', ': ')
    .replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function CallDescription({ entry: { operation, summary, target }, serverNames }: EntryProps) {
  const name = serverNames.get(target ?? '');
  return (
    <>
      {summary ?? (operation ? inWords(operation) : 'A call to an unknown operation')}{' '}
      {name ? <bdi>{name}</bdi> : target && !operation?.startsWith('session') && <code>{target}</code>}
    </>
  );
}

const channelNames: Record<string, string> = {
  rest: 'REST',
  trpc: 'tRPC',
  mcp: 'MCP',
  oauth: 'OAuth',
  account: 'Account page',
};

/** A status from 500 is not "Refused": the call failed here or at the panel, and may have taken effect. */
function outcomeOf({ status, code }: Activity) {
  if (status < 400) return `OK ${status}`;
  return `${status < 500 ? 'Refused' : 'Failed'} ${status} ${code}`;
}

const actorsByOperation: Record<string, string> = {
  'credentials.revoke': 'Whoever found it',
  'factors.reset': 'Support',
};

function Entry({ entry, serverNames }: EntryProps) {
  const { at, operation, detail, status, key, app, via, address } = entry;
  const who = app ?? (key ? `${key.name} (${key.prefix}…)` : null);
  const by = actorsByOperation[operation ?? ''] ?? who;
  return (
    <Item
      isLine
      title={<CallDescription {...{ entry, serverNames }} />}
      about={<span class={status < 400 ? 'badge' : 'badge is-warning'}>{outcomeOf(entry)}</span>}
    >
      <p class="note">
        {[detail, by, channelNames[via] ?? via, address].filter(Boolean).map((part) => (
          <>
            <bdi>{part}</bdi> ·{' '}
          </>
        ))}
        <time dateTime={at}>{formatDateTime(at)}</time>
      </p>
    </Item>
  );
}
