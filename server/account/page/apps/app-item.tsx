/** A connected app, with a line for each time the user connected it. */
import { ActionButton } from '../action-button.tsx';
import type { ConnectedApp } from '../api.ts';
import { ScopeList } from '../keys/key-item.tsx';
import { momentOf, Time } from '../time.tsx';
import { AppIdentity } from './app-identity.tsx';

interface Props {
  /** Of one app. */
  connections: ConnectedApp[];
  onRevoke(connection: ConnectedApp): void;
}

export function AppItem({ connections, onRevoke }: Props) {
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
