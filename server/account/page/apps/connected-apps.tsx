/** The apps that may act for the signed-in user, each with its connections, which can be revoked. */

import type { AccessRequest, Api, ConnectedApp, Scope } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { Code } from '../code.tsx';
import { ConfirmDialog, FormDialog, useDialog } from '../dialog.tsx';
import { Choices, scopeChoices } from '../field.tsx';
import type { Problems } from '../form.tsx';
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
  const change = (item: ConnectedApp, scopes: Offered) =>
    show(<RightsDialog item={item} offered={scopes} onChanged={query.reload} />);
  return (
    <View title="Connected apps" lede="Apps and agents that you signed in, and what each may do as you.">
      <ResourceView of={query}>
        {({ apps, scopes }) =>
          apps.length === 0 ? (
            <NoApps />
          ) : (
            <Apps apps={apps} onChange={(item) => change(item, scopes)} onRevoke={revoke} />
          )
        }
      </ResourceView>
      {dialog}
    </View>
  );
}

type Offered = AccessRequest['scopes'];

interface ConnectionActions {
  onChange(item: ConnectedApp): void;
  onRevoke(item: ConnectedApp): void;
}

const Apps = ({ apps, ...actions }: { apps: ConnectedApp[] } & ConnectionActions) => (
  <>
    <ul class="panel" aria-label="Connected apps">
      {groupByApp(apps).map((connections) => (
        <AppItem key={connections[0]?.client_id} connections={connections} {...actions} />
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

interface RightsProps {
  item: ConnectedApp;
  offered: Offered;
  onChanged(): Promise<unknown>;
}

function RightsDialog({ item, offered, onChanged }: RightsProps) {
  const chosenIn = (values: FormData) => values.getAll('scopes').map(String) as Scope[];
  const send = async (api: Api, values: FormData) => {
    await api.apps.change.mutate({ id: item.id, scopes: chosenIn(values) });
    await onChanged();
    return 'The rights are changed.';
  };
  const check = (values: FormData): Problems =>
    chosenIn(values).length > 0 ? {} : { scopes: 'Tick at least one, or revoke the connection.' };
  return (
    <FormDialog title="What may this app do?" label="Save" places={['scopes']} check={check} send={send}>
      {(problems) => (
        <>
          <AppIdentity app={item.app} />
          <Choices
            legend="Its calls from now on may use"
            name="scopes"
            choices={scopeChoices(offered)}
            preset={item.scopes}
            error={problems['scopes']}
          />
        </>
      )}
    </FormDialog>
  );
}

interface AppProps extends ConnectionActions {
  /** Of one app. */
  connections: ConnectedApp[];
}

function AppItem({ connections, onChange, onRevoke }: AppProps) {
  const [first] = connections;
  if (!first) return null;
  return (
    <li class="app">
      <AppIdentity app={first.app} />
      <ul aria-label="Connections">
        {connections.map((item) => (
          <ConnectionItem
            key={item.id}
            item={item}
            onChange={() => onChange(item)}
            onRevoke={() => onRevoke(item)}
          />
        ))}
      </ul>
    </li>
  );
}

interface ConnectionProps {
  item: ConnectedApp;
  onChange(): void;
  onRevoke(): void;
}

const ConnectionItem = ({ item, onChange, onRevoke }: ConnectionProps) => (
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
    <div class="app-actions">
      <ActionButton icon="edit" label="Rights" about={nameOf(item)} onAct={onChange} />
      <ActionButton icon="trash" label="Revoke" about={nameOf(item)} isDangerous onAct={onRevoke} />
    </div>
  </li>
);

const nameOf = ({ app, created_at }: ConnectedApp) => `${app.name}, connected ${momentOf(created_at)}`;
