/** The signed-in user's game servers as cards, or as rows if there are many, or the page of the server in the address. */
import { useEffect, useRef } from 'preact/hooks';
import type { Api, Server } from '../api.ts';
import { useDialog } from '../dialog.tsx';
import { useFocusAfterChange, useFocusInside } from '../focus.ts';
import { serverAddress } from '../route.ts';
import { OpenTicketDialog } from '../tickets/open-ticket-dialog.tsx';
import { useQuery } from '../use-query.ts';
import { Blank, ResourceView, useTitle, ViewHead } from '../view.tsx';
import { Figures } from './figures.tsx';
import { type PlayerCounts, playersIn } from './players.tsx';
import { conditionOf, ServerActions, ServerNotes, StateBadge } from './server-facts.tsx';
import { ServerPage } from './server-page.tsx';
import { ServerRows } from './server-rows.tsx';
import { useResources } from './use-resources.ts';
import { useStates } from './use-states.ts';

const manyServers = 8;

/** How often the list is read while a server is suspended, or is being installed or moved. */
const unusualMs = 20_000;
const calmMs = 5 * 60_000;
const retryMs = 15_000;

const readServers = async (api: Api) => (await api.servers.list.query()).servers;

const paceOf = (servers: Server[] | null, failure: string | null) => {
  if (failure !== null) return retryMs;
  return servers?.some((each) => conditionOf(each) !== null) ? unusualMs : calmMs;
};

export function ServersView({ detail }: { detail: string | null }) {
  const query = useQuery(readServers, { pace: paceOf, showsEveryFailure: true });
  const { content, reload } = query;
  const serverName = content?.find(({ identifier }) => identifier === detail)?.name;
  const unnamed = content ? 'No such server' : `Server ${detail}`;
  useTitle(detail === null ? null : (serverName ?? unnamed));
  return (
    <main class="main">
      {detail === null && (
        <ViewHead
          title="Servers"
          lede="Start and stop them, or open one for its console, files, backups and schedules."
        />
      )}
      <ResourceView of={query}>
        {(servers) =>
          servers.length === 0 && detail === null ? (
            <NoServers />
          ) : (
            <Servers servers={servers} detail={detail} onChanged={reload} />
          )
        }
      </ResourceView>
    </main>
  );
}

type ServersProps = { servers: Server[]; detail: string | null; onChanged(): void };

/** @param detail the identifier of the server to show alone; null shows all */
function Servers({ servers, detail, onChanged }: ServersProps) {
  const states = useStates(detail === null);
  const { dialog, show } = useDialog();
  const lastId = useRef<string | null>(null);
  useEffect(() => {
    if (detail !== null) lastId.current = detail;
  }, [detail]);
  const shown = servers.find(({ identifier }) => identifier === detail);
  useFocusAfterChange(detail === null ? 'all' : shown?.identifier);
  if (detail !== null && !shown) return <NoServer />;
  const propsOf = (server: Server) => ({
    server,
    listedState: states?.get(server.identifier)?.state ?? null,
    players: playersIn(states?.get(server.identifier)),
    onAsk: () => show(<OpenTicketDialog server={server} />),
  });
  return (
    <>
      {shown && <ServerPage key={shown.identifier} {...propsOf(shown)} onChanged={onChanged} />}
      {!shown && servers.length < manyServers && (
        <ul class="stack" aria-label="Servers">
          {servers.map((server) => (
            <ServerItem key={server.identifier} {...propsOf(server)} />
          ))}
        </ul>
      )}
      {!shown && servers.length >= manyServers && (
        <ServerRows servers={servers} states={states} lastId={lastId.current} />
      )}
      {dialog}
    </>
  );
}

type ItemProps = { server: Server; listedState: string | null; players: PlayerCounts; onAsk(): void };

function ServerItem({ server, listedState, players, onAsk }: ItemProps) {
  const { element, resources, follow } = useResources<HTMLLIElement>(server.identifier, listedState);
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusInside(element, () => heading.current);
  return (
    <li ref={element} class="panel stack">
      <div class="item-head">
        <h2 ref={heading} tabIndex={-1}>
          <a href={serverAddress(server.identifier)}>
            <bdi>{server.name}</bdi>
          </a>
        </h2>
        <StateBadge server={server} state={resources?.state ?? null} />
      </div>
      <ServerNotes server={server} resources={resources} />
      {conditionOf(server) === null && <Figures {...{ server, resources, players }} />}
      <ServerActions {...{ server, resources, onAsk }} onSent={follow} />
    </li>
  );
}

const NoServers = () => (
  <Blank
    icon="server"
    title="No servers"
    text={
      <>
        A server that you order appears here once it is set up. Is one missing?{' '}
        <a href="#tickets">Open a ticket</a>
      </>
    }
  />
);

/** Also shown for another user's server: the page must not reveal that this server exists. */
const NoServer = () => (
  <Blank
    icon="server"
    title="No such server"
    text={
      <>
        You have no server with this address. <a href="#servers">All servers</a>
      </>
    }
  />
);
