/** The apps that may act for the signed-in user, each with its connections, which can be revoked. */
import { useState } from 'preact/hooks';
import type { ConnectedApp } from '../api.ts';
import { Code } from '../code.tsx';
import { Failed } from '../failed.tsx';
import { Icon } from '../icon.tsx';
import { KeySkeletons } from '../skeleton.tsx';
import { useFresh } from '../use-fresh.ts';
import { AppItem } from './app-item.tsx';
import { RevokeAppDialog } from './revoke-app-dialog.tsx';

const agentAddress = () => `${location.origin}/mcp`;

export function ConnectedApps() {
  const { content, failure, reload } = useFresh((api) => api.apps.list.query());
  const [revoking, setRevoking] = useState<ConnectedApp | null>(null);
  const groups = content && groupByApp(content.apps);
  return (
    <main class="main">
      <div class="page-head">
        <div>
          <h1 tabIndex={-1}>Connected apps</h1>
          <p class="lede">Apps and agents that you signed in, and what each may do as you.</p>
        </div>
      </div>
      {!content && (failure ? <Failed message={failure} onRetry={reload} /> : <KeySkeletons />)}
      {groups?.length === 0 && <EmptyApps />}
      {groups && groups.length > 0 && (
        <>
          <ul class="panel" aria-label="Connected apps">
            {groups.map((connections) => (
              <AppItem key={connections[0]?.client_id} connections={connections} onRevoke={setRevoking} />
            ))}
          </ul>
          <p class="note">
            To connect another one, give it the address <code>{agentAddress()}</code>
          </p>
        </>
      )}
      {revoking && <RevokeAppDialog item={revoking} onClose={() => setRevoking(null)} onRevoked={reload} />}
    </main>
  );
}

function groupByApp(connections: ConnectedApp[]): ConnectedApp[][] {
  const groups = new Map<string, ConnectedApp[]>();
  for (const item of connections) groups.set(item.client_id, [...(groups.get(item.client_id) ?? []), item]);
  return [...groups.values()];
}

const EmptyApps = () => (
  <div class="blank">
    <span class="blank-mark">
      <Icon name="plug" />
    </span>
    <h2>No connected apps</h2>
    <p>Give your agent this address as an MCP server: it then asks you here what it may do, without a key.</p>
    <Code text={agentAddress()} what="address" />
  </div>
);
