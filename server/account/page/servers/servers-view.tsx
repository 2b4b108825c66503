/** The signed-in user's game servers, or the page of the server in the address. */
import { useEffect, useRef } from 'preact/hooks';
import type { Api, Server } from '../api.ts';
import { useDialog } from '../dialog.tsx';
import { useFocusAfterChange } from '../focus.ts';
import { OpenTicketDialog } from '../tickets/open-ticket-dialog.tsx';
import { useQuery } from '../use-query.ts';
import { Blank, ResourceView, useTitle, ViewHead } from '../view.tsx';
import { conditionOf } from './conditions.ts';
import { ServerPage } from './server-page.tsx';
import { ServerRows } from './server-rows.tsx';
import { useStates } from './use-states.ts';

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
          lede="Start and stop them, or open one for its console, files, backups, schedules and startup."
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
  const { states, refresh } = useStates(detail === null);
  const { dialog, show } = useDialog();
  const lastId = useRef<string | null>(null);
  useEffect(() => {
    if (detail !== null) lastId.current = detail;
  }, [detail]);
  const shown = servers.find(({ identifier }) => identifier === detail);
  useFocusAfterChange(detail === null ? 'all' : shown?.identifier);
  if (detail !== null && !shown) return <NoServer />;
  const onAsk = (server: Server) => show(<OpenTicketDialog server={server} />);
  return (
    <>
      {shown ? (
        <ServerPage
          key={shown.identifier}
          server={shown}
          listedState={states?.get(shown.identifier)?.state ?? null}
          onAsk={() => onAsk(shown)}
          onChanged={onChanged}
        />
      ) : (
        <ServerRows {...{ servers, states, onAsk }} lastId={lastId.current} onSent={() => void refresh()} />
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
