/** A connected app, with a line for each time the user connected it. */
import type { ConnectedApp } from '../api.ts';
import { Icon } from '../icon.tsx';
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
    <ul class="scopes" aria-label="Scopes">
      {item.scopes.map((scope) => (
        <li class="scope" key={scope}>
          {scope}
        </li>
      ))}
    </ul>
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
    <button
      type="button"
      class="button is-small is-quiet-danger"
      aria-label={`Revoke ${item.app.name}, connected ${momentOf(item.created_at)}`}
      onClick={onRevoke}
    >
      <Icon name="trash" />
      Revoke
    </button>
  </li>
);
