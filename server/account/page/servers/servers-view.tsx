/** The signed-in user's game servers: a card each, a line each where they are many, or the one that the address names. */
import { useEffect, useRef } from 'preact/hooks';
import type { Api, Server, ServerState } from '../api.ts';
import { useDialog } from '../dialog.tsx';
import { Failed } from '../failed.tsx';
import { useKeptFocus } from '../focus.ts';
import { KeySkeletons } from '../skeleton.tsx';
import { OpenTicketDialog } from '../tickets/open-ticket-dialog.tsx';
import { distanceOf } from '../time.tsx';
import { useLastKnown } from '../use-last-known.ts';
import { useQuery } from '../use-query.ts';
import { Blank, ViewHead } from '../view.tsx';
import { Warning } from '../warning.tsx';
import { ServerItem } from './server-item.tsx';
import { ServerRows } from './server-rows.tsx';
import { conditionOf } from './server-state.tsx';

/** While a server is installed, moved or suspended. */
const unusualMs = 20_000;
const calmMs = 5 * 60_000;

/** The service knows of a change within seconds, and answers the calls between from what it knows. */
const statesMs = 3000;

/** From so many servers on, they have a line each. */
const manyServers = 8;

export function ServersView({ detail }: { detail: string | null }) {
  const { content, at, failure, isSlow, reload } = useLastKnown({
    name: 'servers',
    query: (api) => api.servers.list.query(),
    everyMs: (known) => (known?.servers.some((each) => conditionOf(each) !== null) ? unusualMs : calmMs),
  });
  const servers = content?.servers;
  const shown = servers?.find(({ identifier }) => identifier === detail);
  return (
    <main class="main">
      {shown ? (
        <p>
          <a href="#servers">All servers</a>
        </p>
      ) : (
        <ViewHead title="Servers" lede="Start, stop and restart your servers." />
      )}
      {servers && (failure !== null || isSlow) && <Age at={at} failure={failure} />}
      {!servers &&
        (failure ? (
          <Failed message={`${withoutAdvice(failure)} ${retried}`} onRetry={reload} />
        ) : (
          <KeySkeletons />
        ))}
      {servers?.length === 0 && <NoServers />}
      {servers && servers.length > 0 && <Servers servers={servers} shown={shown} />}
    </main>
  );
}

/** The API's messages tell its callers to try again, which the page does by itself. */
const withoutAdvice = (failure: string) => failure.replace(/; try again later\.$/, '.');

const retried = 'It is tried again by itself.';

/** Said of a list that may be out of date. */
const Age = ({ at, failure }: { at: number; failure: string | null }) => (
  <Warning role="status">
    {failure === null ? 'The panel is slow to answer.' : withoutAdvice(failure)} This is what was known{' '}
    <strong>{distanceOf(new Date(at).toISOString())}</strong>. {failure !== null && retried}
  </Warning>
);

interface ServersProps {
  servers: Server[];
  /** The one that is shown alone. */
  shown: Server | undefined;
}

function Servers({ servers, shown }: ServersProps) {
  const { content: states } = useQuery(readStates, { pace: () => statesMs });
  const { dialog, show } = useDialog();
  const lastId = useRef<string | null>(null);
  useEffect(() => {
    if (shown) lastId.current = shown.identifier;
  }, [shown]);
  useKeptFocus(shown?.identifier ?? 'all');
  const cards = shown ? [shown] : servers;
  return (
    <>
      {shown || servers.length < manyServers ? (
        <ul class="servers" aria-label="Servers">
          {cards.map((server) => (
            <ServerItem
              key={server.identifier}
              server={server}
              told={states?.get(server.identifier)?.state ?? null}
              isAlone={server === shown}
              onAsk={() => show(<OpenTicketDialog server={server} />)}
            />
          ))}
        </ul>
      ) : (
        <ServerRows servers={servers} states={states} lastId={lastId.current} />
      )}
      {dialog}
    </>
  );
}

const NoServers = () => (
  <Blank
    icon="server"
    title="No servers"
    text={
      <>
        A server that you order appears here as soon as it is set up. Is one missing?{' '}
        <a href="#tickets">Ask support in a ticket</a>
      </>
    }
  />
);

/** By the servers' identifiers, in one call for each hundred of them. */
async function readStates(api: Api): Promise<Map<string, ServerState>> {
  const known = new Map<string, ServerState>();
  for (let after: string | undefined; ; ) {
    const { states, summary } = await api.servers.states.query(after === undefined ? {} : { after });
    for (const state of states) known.set(state.server, state);
    after = states.at(-1)?.server;
    if (after === undefined || known.size >= summary.total) return known;
  }
}
