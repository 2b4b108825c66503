/** Many servers in rows, with a search and a filter by state. */
import { useState } from 'preact/hooks';
import { matchesSearch } from '../../../../models/support/fold.ts';
import type { Server, ServerState } from '../api.ts';
import { useFocusAfterChange } from '../focus.ts';
import { serverAddress } from '../route.ts';
import { Blank } from '../view.tsx';
import { playersIn } from './players.tsx';
import { addressOf, conditionOf, StateBadge } from './server-facts.tsx';

type Props = { servers: Server[]; states: Map<string, ServerState> | null; lastId: string | null };

/** @param lastId the server whose page was open before the list; its row gets the focus */
export function ServerRows({ servers, states, lastId }: Props) {
  const [search, setSearch] = useState('');
  const [word, setWord] = useState('');
  useFocusAfterChange(servers, () => document.querySelector(`a[href="${serverAddress(lastId ?? '')}"]`));
  const nowOf = ({ identifier }: Server) => states?.get(identifier);
  const wordOf = (server: Server) => conditionOf(server) ?? nowOf(server)?.state ?? null;
  const words = servers.map(wordOf).filter((each) => each !== null);
  const shown = servers.filter(
    (server) => (word === '' || wordOf(server) === word) && matches(server, search),
  );
  return (
    <>
      <search class="server-filter">
        <input
          class="input"
          type="search"
          dir="auto"
          placeholder="Name or address"
          aria-label="Search your servers by name or address"
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <StateFilter words={words} word={word} onChange={setWord} />
        <p class="note" role="status">
          {shown.length} of {servers.length} servers
        </p>
      </search>
      {shown.length === 0 ? (
        <Blank title="No server matches" text="Try another name, address, identifier or state." />
      ) : (
        <ul class="panel" aria-label="Servers">
          {shown.map((server) => (
            <ServerRow key={server.identifier} server={server} now={nowOf(server)} />
          ))}
        </ul>
      )}
    </>
  );
}

const matches = (server: Server, search: string) =>
  matchesSearch([server.name, server.identifier, addressOf(server)], search);

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

function ServerRow({ server, now }: { server: Server; now: ServerState | undefined }) {
  const { online, max } = playersIn(now);
  return (
    <li class="item is-link">
      <a href={serverAddress(server.identifier)} dir="auto">
        {server.name}
      </a>
      {online !== null && (
        <span class="note players">
          {online}
          {max !== null && ` of ${max}`} players
        </span>
      )}
      <span class="note">{addressOf(server)}</span>
      <StateBadge server={server} state={now?.state ?? null} />
    </li>
  );
}
