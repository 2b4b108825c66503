/** The signed-in user's game servers. */
import { useState } from 'preact/hooks';
import type { Server } from '../api.ts';
import { Failed } from '../failed.tsx';
import { Icon } from '../icon.tsx';
import { KeySkeletons } from '../skeleton.tsx';
import { OpenTicketDialog } from '../tickets/open-ticket-dialog.tsx';
import { useFresh } from '../use-fresh.ts';
import { usePolling } from '../use-polling.ts';
import { conditionOf, ServerItem } from './server-item.tsx';

/** While a server is installed, moved or suspended. */
const unusualMs = 20_000;

export function ServersView() {
  const { content, failure, reload } = useFresh((api) => api.servers.list.query());
  const [asking, setAsking] = useState<Server | null>(null);
  const servers = content?.servers;
  const isUnusual = servers?.some((server) => conditionOf(server) !== null) ?? false;
  usePolling(async () => void (await reload()), isUnusual ? unusualMs : null);
  return (
    <main class="main">
      <div class="page-head">
        <div>
          <h1 tabIndex={-1}>Servers</h1>
          <p class="lede">Start, stop and restart your servers.</p>
        </div>
      </div>
      {!servers && (failure ? <Failed message={failure} onRetry={reload} /> : <KeySkeletons />)}
      {servers?.length === 0 && <NoServers />}
      {servers && servers.length > 0 && (
        <ul class="servers" aria-label="Servers">
          {servers.map((server) => (
            <ServerItem key={server.identifier} server={server} onAsk={() => setAsking(server)} />
          ))}
        </ul>
      )}
      {asking && <OpenTicketDialog server={asking} onClose={() => setAsking(null)} />}
    </main>
  );
}

const NoServers = () => (
  <div class="blank">
    <span class="blank-mark">
      <Icon name="server" />
    </span>
    <h2>No servers</h2>
    <p>
      A server that you order appears here as soon as it is set up. Is one missing?{' '}
      <a href="#tickets">Ask support in a ticket</a>
    </p>
  </div>
);
