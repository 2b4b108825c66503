/** The servers in rows. Many of them can be searched, filtered by state and sorted. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { matchesSearch } from '../../../../models/support/fold.ts';
import type { Server, ServerState } from '../api.ts';
import { useFocusAfterChange, useFocusInside } from '../focus.ts';
import { serverAddress } from '../route.ts';
import { Blank } from '../view.tsx';
import { conditionOf } from './conditions.ts';
import { Meters } from './figures.tsx';
import { playersIn } from './players.tsx';
import { ServerActions } from './server-actions.tsx';
import { Address, addressOf, GameIcon, StateBadge } from './server-facts.tsx';

const manyServers = 8;

type States = Map<string, ServerState> | null;

interface Props {
  servers: Server[];
  states: States;
  /** The server whose page was open before the list; its row gets the focus. */
  lastId: string | null;
  onSent(): void;
  onAsk(server: Server): void;
}

export function ServerRows({ servers, states, lastId, onSent, onAsk }: Props) {
  const [search, setSearch] = useState('');
  const [word, setWord] = useState('');
  const [sort, setSort] = useState<Sort>('name');
  useFocusAfterChange(servers, () => document.querySelector(`a[href="${serverAddress(lastId ?? '')}"]`));
  const sorted = useSorted(servers, states, sort);
  const words = servers.map((server) => wordOf(server, states)).filter((each) => each !== null);
  const shown = sorted.filter(
    (server) => (word === '' || wordOf(server, states) === word) && matches(server, search),
  );
  return (
    <>
      {servers.length >= manyServers && (
        <search class="server-filter">
          <SearchField onSearch={setSearch} />
          <StateFilter words={words} word={word} onChange={setWord} />
          <SortChoice sort={sort} onChange={setSort} />
          <p class="note" role="status">
            {shown.length} of {servers.length} servers
          </p>
        </search>
      )}
      {shown.length === 0 ? (
        <Blank title="No server matches" text="Try another name, address, identifier or state." />
      ) : (
        <ul class="panel server-rows" aria-label="Servers">
          {shown.map((server) => (
            <ServerRow
              key={server.identifier}
              server={server}
              now={states?.get(server.identifier)}
              onSent={onSent}
              onAsk={() => onAsk(server)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function wordOf(server: Server, states: States): string | null {
  const now = states?.get(server.identifier);
  return conditionOf(server, now?.reason)?.word ?? now?.state ?? null;
}

const matches = (server: Server, search: string) =>
  matchesSearch([server.name, server.identifier, addressOf(server)], search);

const sorts = { name: 'By name', state: 'By state', players: 'Most players' } as const;
type Sort = keyof typeof sorts;

/** Servers that need attention come between those that run and those that are off. */
const stateRanks: Partial<Record<string, number>> = { running: 0, starting: 1, stopping: 2, offline: 4 };

/** A new state or number moves no row, because a row must not move from under a finger. */
function useSorted(servers: Server[], states: States, sort: Sort): Server[] {
  const hasFigures = states !== null && [...states.values()].some((now) => 'players_online' in now);
  return useMemo(() => {
    const rankOf = (server: Server) => {
      if (sort === 'name') return 0;
      if (sort === 'state') return stateRanks[wordOf(server, states) ?? ''] ?? 3;
      return -(playersIn(states?.get(server.identifier)).online ?? -1);
    };
    return [...servers].sort(
      (one, other) => rankOf(one) - rankOf(other) || one.name.localeCompare(other.name),
    );
  }, [servers, sort, states === null, hasFigures]);
}

const SearchField = ({ onSearch }: { onSearch(text: string): void }) => (
  <input
    class="input"
    type="search"
    dir="auto"
    placeholder="Name or address"
    aria-label="Search your servers by name or address"
    onInput={({ currentTarget }) => onSearch(currentTarget.value)}
  />
);

type FilterProps = { words: string[]; word: string; onChange(word: string): void };

/** The chosen state stays an option when no server has it any more, so that the user still sees which filter applies. */
const StateFilter = ({ words, word, onChange }: FilterProps) => (
  <select
    class="input"
    aria-label="Show servers by state"
    value={word}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  >
    <option value="">All states</option>
    {[...new Set([...words, ...(word ? [word] : [])])].sort().map((each) => (
      <option key={each} value={each}>
        {`${each} (${words.filter((of) => of === each).length})`}
      </option>
    ))}
  </select>
);

const SortChoice = ({ sort, onChange }: { sort: Sort; onChange(sort: Sort): void }) => (
  <select
    class="input"
    aria-label="Sort servers"
    value={sort}
    onChange={({ currentTarget }) => onChange(currentTarget.value as Sort)}
  >
    {Object.entries(sorts).map(([value, label]) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))}
  </select>
);

type RowProps = { server: Server; now: ServerState | undefined; onSent(): void; onAsk(): void };

function ServerRow({ server, now, onSent, onAsk }: RowProps) {
  const element = useRef<HTMLLIElement>(null);
  const link = useRef<HTMLAnchorElement>(null);
  useFocusInside(element, () => link.current);
  const { state = null, reason } = now ?? {};
  const { online, max } = playersIn(now);
  const note = conditionOf(server, reason)?.advice ?? reason;
  return (
    <li ref={element} class="server-row is-link">
      <GameIcon server={server} />
      <div class="server-title">
        <a ref={link} href={serverAddress(server.identifier)} dir="auto">
          {server.name}
        </a>
        <Address server={server} />
      </div>
      <p class="item-head server-now">
        <StateBadge {...{ server, state, reason }} />
        {online !== null && <span class="note">{playersText(online, max)}</span>}
      </p>
      {note ? <p class="note">{note}</p> : <Meters server={server} resources={now ?? null} />}
      <ServerActions {...{ server, state, reason, onSent, onAsk }} />
    </li>
  );
}

const playersText = (online: number, max: number | null) =>
  max === null ? `${online} players` : `${online} of ${max} players`;
