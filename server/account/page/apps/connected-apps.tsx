/** The apps that may act for the signed-in user, each with its connections, which can be revoked. */

import type { Api, ConnectedApp } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { Code } from '../code.tsx';
import { ConfirmDialog, useDialog } from '../dialog.tsx';
import { ScopeList } from '../keys/key-item.tsx';
import { ResourceView } from '../resource-view.tsx';
import { agoOf, momentOf, Time } from '../time.tsx';
import { onReturn, useQuery } from '../use-query.ts';
import { Blank, View } from '../view.tsx';
import { AppIdentity } from './app-identity.tsx';

const agentAddress = () => `${location.origin}/mcp`;

export function ConnectedApps() {
  const query = useQuery((api) => api.apps.list.query(), onReturn);
  const { dialog, show } = useDialog();
  const revoke = (item: ConnectedApp) => show(<RevokeDialog item={item} onRevoked={query.reload} />);
  return (
    <View title="Connected apps" lede="Apps and agents that you signed in, and what each may do as you.">
      <ResourceView of={query}>
        {({ apps }) => (apps.length === 0 ? <NoApps /> : <Apps apps={apps} onRevoke={revoke} />)}
      </ResourceView>
      {dialog}
    </View>
  );
}

interface AppsProps {
  apps: ConnectedApp[];
  onRevoke(item: ConnectedApp): void;
}

const Apps = ({ apps, onRevoke }: AppsProps) => (
  <>
    <ul class="panel" aria-label="Connected apps">
      {groupByApp(apps).map((connections) => (
        <AppItem key={connections[0]?.client_id} connections={connections} onRevoke={onRevoke} />
      ))}
    </ul>
    <p class="note">
      To connect another one, give it the address <code>{agentAddress()}</code>
    </p>
  </>
);

function groupByApp(connections: ConnectedApp[]): ConnectedApp[][] {
  const groups = new Map<string, ConnectedApp[]>();
  for (const item of connections) groups.set(item.client_id, [...(groups.get(item.client_id) ?? []), item]);
  return [...groups.values()];
}

const NoApps = () => (
  <Blank
    icon="plug"
    title="No connected apps"
    text={
      <>
        Give your agent this address as an MCP server: it then asks you here what it may do, without a key.{' '}
        <a href="/api/v1/docs#mcp">How agents connect</a>
      </>
    }
  >
    <Code text={agentAddress()} what="address" />
  </Blank>
);

interface RevokeProps {
  item: ConnectedApp;
  onRevoked(): Promise<unknown>;
}

function RevokeDialog({ item, onRevoked }: RevokeProps) {
  const revoke = async (api: Api) => {
    await api.apps.revoke.mutate({ id: item.id });
    await onRevoked();
    return 'The connection is revoked.';
  };
  return (
    <ConfirmDialog title="Revoke this connection?" verb="Revoke" isDangerous act={revoke}>
      <AppIdentity app={item.app} />
      <p>
        Every call it makes is refused from now on, and webhooks that it made are turned off. To use it again,
        connect it again from the app.
      </p>
      <p class="note">
        Connected on {momentOf(item.created_at)}.{' '}
        {item.last_used_at ? `It was last used ${agoOf(item.last_used_at)}.` : 'It was never used.'}
      </p>
    </ConfirmDialog>
  );
}

interface AppProps {
  /** Of one app. */
  connections: ConnectedApp[];
  onRevoke(connection: ConnectedApp): void;
}

function AppItem({ connections, onRevoke }: AppProps) {
  const [first] = connections;
  if (!first) return null;
  return (
    <li class="app">
      <AppIdentity app={first.app} />
      <ul aria-label="Connections">
        {connections.map((item) => (
          <ConnectionItem key={item.id} item={item} onRevoke={() => onRevoke(item)} />
        ))}
      </ul>
    </li>
  );
}

const ConnectionItem = ({ item, onRevoke }: { item: ConnectedApp; onRevoke: () => void }) => (
  <li class="app-connection">
    <ScopeList scopes={item.scopes} />
    <p class="note">
      Connected <Time iso={item.created_at} />
      <br />
      {item.last_used_at ? (
        <>
          Last used <Time iso={item.last_used_at} isRelative />
        </>
      ) : (
        'Never used'
      )}
    </p>
    <ActionButton
      icon="trash"
      label="Revoke"
      about={`${item.app.name}, connected ${momentOf(item.created_at)}`}
      isDangerous
      onAct={onRevoke}
    />
  </li>
);
