/** The apps that may act for the signed-in user, each with its connections, which can be revoked. */
import type { ComponentChildren } from 'preact';
import type { AccessRequest, ConnectedApp } from '../api.ts';
import { Code } from '../code.tsx';
import { ActionButton } from '../controls.tsx';
import { FormDialog, type Question, useDialog } from '../dialog.tsx';
import { Icon } from '../icon.tsx';
import { ScopeList } from '../keys/keys-view.tsx';
import { ListView } from '../list-view.tsx';
import { formatDateTime, formatTimeAgo, Time } from '../time.tsx';
import { onReturn, useQuery } from '../use-query.ts';
import { type BlankProps, View } from '../view.tsx';

const agentAddress = () => `${location.origin}/mcp`;

export function ConnectedApps() {
  const query = useQuery((api) => api.apps.list.query(), onReturn);
  const { dialog, show, confirm } = useDialog();
  const actionsOf = (item: ConnectedApp, offered: Offered) => {
    const about = `${item.app.name}, connected ${formatDateTime(item.created_at)}`;
    const change = () => show(<RightsDialog {...{ item, offered, onChanged: query.reload }} />);
    const revoke = () => confirm(revocation(item, query.reload));
    return (
      <>
        <ActionButton icon="edit" label="Rights" about={about} onAct={change} />
        <ActionButton icon="trash" label="Revoke" about={about} isDangerous onAct={revoke} />
      </>
    );
  };
  return (
    <View title="Connected apps" lede="Apps and agents that you signed in, and what each may do as you.">
      <ListView
        query={query}
        items={({ apps }) => groupByApp(apps)}
        label="Connected apps"
        blank={noApps()}
        item={([id, connections], { scopes }) => (
          <AppItem key={id} connections={connections} actionsOf={(item) => actionsOf(item, scopes)} />
        )}
      >
        {({ apps }) =>
          apps.length > 0 && (
            <p class="note">
              To connect another one, give it the address <code>{agentAddress()}</code>
            </p>
          )
        }
      </ListView>
      {dialog}
    </View>
  );
}

function groupByApp(connections: ConnectedApp[]) {
  const groups = new Map<string, ConnectedApp[]>();
  for (const item of connections) groups.set(item.client_id, [...(groups.get(item.client_id) ?? []), item]);
  return [...groups];
}

type Offered = AccessRequest['scopes'];

const noApps = (): BlankProps => ({
  icon: 'plug',
  title: 'No connected apps',
  text: (
    <>
      Give your agent this address as an MCP server: it then asks you here what it may do, without a key.{' '}
      <a href="/api/v1/docs#mcp">How agents connect</a>
    </>
  ),
  children: (
    <>
      <Code text={agentAddress()} what="address" />
      <p class="note">
        In a terminal, connect with <code>{`gamehost login --url ${location.origin}`}</code>.{' '}
        <a href="/api/v1/docs#clients">How to install it</a>
      </p>
    </>
  ),
});

const revocation = (item: ConnectedApp, onRevoked: () => Promise<unknown>): Question => ({
  title: 'Revoke this connection?',
  text: 'From now on its calls are refused, and webhooks that it created are turned off. To use it again, reconnect it from the app.',
  more: (
    <>
      <AppIdentity app={item.app} />
      <p class="note">
        Connected on {formatDateTime(item.created_at)}.{' '}
        {item.last_used_at ? `It was last used ${formatTimeAgo(item.last_used_at)}.` : 'It was never used.'}
      </p>
    </>
  ),
  verb: 'Revoke',
  isDangerous: true,
  async act(api) {
    await api.apps.revoke.mutate({ id: item.id });
    await onRevoked();
    return 'Connection revoked.';
  },
});

type RightsProps = { item: ConnectedApp; offered: Offered; onChanged(): Promise<unknown> };

function RightsDialog({ item, offered, onChanged }: RightsProps) {
  const scopes = {
    name: 'scopes',
    legend: 'From now on, its calls may use',
    missing: 'Tick at least one, or revoke the connection.',
    scopes: offered,
    preset: item.scopes,
  } as const;
  return (
    <FormDialog
      title="What may this app do?"
      label="Save"
      request="apps.change"
      fields={[scopes]}
      send={async (api, { scopes }) => {
        await api.apps.change.mutate({ id: item.id, scopes });
        await onChanged();
        return 'Rights changed.';
      }}
    >
      <AppIdentity app={item.app} />
    </FormDialog>
  );
}

type AppProps = { connections: ConnectedApp[]; actionsOf(connection: ConnectedApp): ComponentChildren };

const AppItem = ({ connections, actionsOf }: AppProps) => (
  <li class="item">
    {connections.slice(0, 1).map(({ id, app }) => (
      <AppIdentity key={id} app={app} />
    ))}
    <ul aria-label="Connections">
      {connections.map((item) => (
        <li key={item.id} class="item is-line">
          <div class="item-head">
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
          </div>
          <div class="actions">{actionsOf(item)}</div>
        </li>
      ))}
    </ul>
  </li>
);

/** An app chooses its name, so the name is set apart from our texts; a verified host is a fact. */
const VerificationBadge = ({ host }: { host: string | null }) =>
  host === null ? (
    <span class="badge is-warning">Unverified name</span>
  ) : (
    <span class="badge is-success">
      <Icon name="shield" />
      Verified: {host}
    </span>
  );

export const AppIdentity = ({
  app,
  children,
}: {
  app: ConnectedApp['app'];
  children?: ComponentChildren;
}) => (
  <div class="app-identity">
    <span class="app-mark">
      <Icon name="plug" />
    </span>
    <div>
      {children}
      <h2>
        <bdi>{app.name}</bdi>
      </h2>
      <VerificationBadge host={app.verified_host} />
    </div>
  </div>
);
