/** The table of calls, newest first, a page at a time. Its filters apply to the calls that are loaded. */
import { useState } from 'preact/hooks';
import type { Activity, ActivitySummary, Api } from '../api.ts';
import { SelectField } from '../field.tsx';
import { ListView } from '../list-view.tsx';
import { serverAddress } from '../route.ts';
import { Time } from '../time.tsx';
import { type Page, usePages, useQuery } from '../use-query.ts';

type Source = ActivitySummary['keys'][number];

const columns = { Time: 'log-wide', 'What happened': undefined, Who: 'log-wide', Result: undefined };

/** @param source the key or app whose calls are shown; undefined: all calls */
export function ActivityList({ source }: { source: Source | undefined }) {
  const pages = usePages(readPage);
  const [topic, setTopic] = useState('');
  const [result, setResult] = useState('');
  const loaded = pages.content?.items ?? [];
  const names = useNames(loaded);
  const isShown = (entry: Activity) =>
    (!source || isBy(source, entry)) &&
    (topic === '' || topicOf(entry) === topic) &&
    (result === '' || entry.status >= 400);
  const isFiltered = source || topic || result;
  return (
    <section class="stack" aria-labelledby="activity-list">
      <h2 id="activity-list">Calls, newest first</h2>
      <search class="actions">
        <SelectField label="About" value={topic} options={topicOptions} onChoose={setTopic} />
        <SelectField label="Result" value={result} options={resultOptions} onChoose={setResult} />
        <p class="note" role="status">
          {isFiltered &&
            `${loaded.filter(isShown).length} of the ${loaded.length} calls that are loaded match.`}
        </p>
      </search>
      <ListView
        query={pages}
        items={({ items }: Page<Activity>) => items.filter(isShown)}
        label="Calls"
        columns={columns}
        more="Show older calls"
        blank={
          isFiltered ? 'No loaded call matches. Choose another filter.' : 'No calls in the last 90 days.'
        }
        item={(entry) => <Entry key={entry.id} {...{ entry, names }} />}
      />
    </section>
  );
}

/** The first page is small, so that it arrives soon. */
async function readPage(api: Api, last?: Activity) {
  const page = last ? { before: last.id, limit: 100 } : {};
  const { activity, has_more } = await api.activity.list.query(page);
  return { items: activity, hasMore: has_more };
}

const isBy = ({ name, prefix }: Source, { key, app }: Activity) =>
  key ? key.name === name && key.prefix === prefix : app === name;

const topics: Partial<Record<string, string>> = {
  servers: 'Servers',
  tickets: 'Tickets',
  answers: 'Tickets',
  keys: 'Keys and apps',
  apps: 'Keys and apps',
  credentials: 'Keys and apps',
  webhooks: 'Webhooks',
  admin: 'Administration',
};

const account = 'Account and other';

const topicOf = ({ operation }: Activity) => topics[operation?.split('.')[0] ?? ''] ?? account;

const topicOptions = [
  { value: '', label: 'Everything' },
  ...[...new Set(Object.values(topics)), account].map((topic = '') => ({ value: topic, label: topic })),
];

const resultOptions = [
  { value: '', label: 'All results' },
  { value: 'failed', label: 'Refused or failed' },
];

type Names = ReadonlyMap<string, string>;

/** Names of the user's servers, by identifier and by uuid, and of keys, read only if the table has a call about one. */
function useNames(entries: readonly Activity[]): Names {
  const isAbout = (noun: string) =>
    entries.some(({ operation, target }) => operation?.startsWith(noun) && target);
  const servers = useQuery((api) => api.servers.list.query(), { isOn: isAbout('servers.') });
  const keys = useQuery((api) => api.keys.list.query(), { isOn: isAbout('keys.') });
  return new Map([
    ...(keys.content ? [...keys.content.live, ...keys.content.ended] : []).map(
      ({ id, name }) => [id, name] as const,
    ),
    ...(servers.content?.servers ?? []).flatMap(({ identifier, uuid, name }) =>
      [identifier, uuid].map((id) => [id, name] as const),
    ),
  ]);
}

type EntryProps = { entry: Activity; names: Names };

/** Every second piece of the sentence is the name of a value. */
const Sentence = ({ entry: { sentence, ...entry }, names }: EntryProps) => (
  <>
    {sentence.split(/\{(target|detail)\}/).map((piece, index) => {
      if (index % 2 === 0) return piece;
      return piece === 'target' ? (
        <Target key={index} {...{ entry, names }} />
      ) : (
        <bdi key={index}>{entry.detail}</bdi>
      );
    })}
  </>
);

function Target({
  entry: { operation, target },
  names,
}: {
  entry: Omit<Activity, 'sentence'>;
  names: Names;
}) {
  const id = target ?? '';
  const name = names.get(id);
  if (operation?.startsWith('tickets.')) return <a href={`#tickets/${id}`}>{id}</a>;
  if (!name) return /^\d+$/.test(id) ? id : <code>{id}</code>;
  return operation?.startsWith('servers.') ? (
    <a href={serverAddress(id)} dir="auto">
      {name}
    </a>
  ) : (
    <bdi>{name}</bdi>
  );
}

const channelNames: Record<string, string> = {
  rest: 'REST',
  trpc: 'tRPC',
  mcp: 'MCP',
  oauth: 'OAuth',
  account: 'Account page',
};

const actorsByOperation: Record<string, string> = {
  'credentials.revoke': 'Whoever found it',
  'factors.reset': 'Support',
};

function whoOf({ operation, key, app, via }: Activity): string {
  const own = via === 'account' ? 'You' : 'Unknown';
  return actorsByOperation[operation ?? ''] ?? app ?? key?.name ?? own;
}

/** A status from 500 is not "Refused": the call failed here or at the panel, and may have taken effect. */
const Result = ({ entry: { status, code } }: { entry: Activity }) =>
  status < 400 ? (
    <span class="note">Done</span>
  ) : (
    <>
      <span class="badge is-warning">{status < 500 ? 'Refused' : 'Failed'}</span>{' '}
      <p class="note">
        {status} {code}
      </p>
    </>
  );

/** The details that the sentence does not have. The signals of servers.power are its verbs. */
const restOf = ({ sentence, operation, detail }: Activity) =>
  sentence.includes('{detail}') || operation === 'servers.power' ? undefined : detail;

function Entry({ entry, names }: EntryProps) {
  const { at, key, via, address } = entry;
  const who = whoOf(entry);
  const rest = restOf(entry);
  return (
    <tr tabIndex={-1}>
      <td class="log-wide">
        <Time iso={at} isRelative />
      </td>
      <th scope="row">
        <Sentence {...{ entry, names }} />
        {rest && <p class="note">{rest}</p>}
        <p class="note log-narrow">
          <Time iso={at} isRelative /> · <bdi>{who}</bdi>
        </p>
      </th>
      <td class="log-wide">
        <bdi title={key ? `${key.prefix}…` : undefined}>{who}</bdi>
        <p class="note">{[channelNames[via] ?? via, address].filter(Boolean).join(' · ')}</p>
      </td>
      <td>
        <Result entry={entry} />
      </td>
    </tr>
  );
}
