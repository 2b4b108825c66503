/** The apps that may act for the signed-in user, each of which can be revoked. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { ConnectedApp } from '../api.ts';
import { Failed } from '../failed.tsx';
import { Icon } from '../icon.tsx';
import { useAction, useShell } from '../shell.ts';
import { Time } from '../time.tsx';

export function ConnectedApps() {
  const { api, notify } = useShell();
  const { failure, run } = useAction();
  const [apps, setApps] = useState<ConnectedApp[] | null>(null);
  const reload = useCallback(() => run(async () => setApps((await api.apps.list.query()).apps)), [api]);
  useEffect(() => void reload(), [reload]);
  const revoke = (item: ConnectedApp) =>
    run(async () => {
      await api.apps.revoke.mutate({ id: item.id });
      notify(`${item.app.name} is revoked.`);
      setApps((await api.apps.list.query()).apps);
    });
  return (
    <main class="main">
      <div class="page-head">
        <div>
          <h1 tabIndex={-1}>Connected apps</h1>
          <p class="lede">Apps and agents that you signed in, and what you let them do.</p>
        </div>
      </div>
      {failure && <Failed message={failure} onRetry={reload} />}
      {apps?.length === 0 && <p class="note">No app is connected.</p>}
      {apps && apps.length > 0 && (
        <ul class="panel keys" aria-label="Connected apps">
          {apps.map((item) => (
            <AppItem key={item.id} item={item} onRevoke={() => revoke(item)} />
          ))}
        </ul>
      )}
    </main>
  );
}

function AppItem({ item, onRevoke }: { item: ConnectedApp; onRevoke: () => void }) {
  return (
    <li class="key">
      <div class="key-head">
        <div class="key-title">
          <h2>{item.app.name}</h2>
        </div>
        <span class="note">{item.app.verified_host ?? 'unverified name'}</span>
      </div>
      <ul class="scopes" aria-label="Scopes">
        {item.scopes.map((scope) => (
          <li class="scope" key={scope}>
            {scope}
          </li>
        ))}
      </ul>
      <AppFacts item={item} />
      <div class="key-actions">
        <button
          type="button"
          class="button is-small is-quiet-danger"
          aria-label={`Revoke ${item.app.name}`}
          onClick={onRevoke}
        >
          <Icon name="trash" />
          Revoke
        </button>
      </div>
    </li>
  );
}

const AppFacts = ({ item }: { item: ConnectedApp }) => (
  <dl class="facts">
    <div>
      <dt>Connected</dt>
      <dd>
        <Time iso={item.created_at} />
      </dd>
    </div>
    <div>
      <dt>Last used</dt>
      <dd>{item.last_used_at ? <Time iso={item.last_used_at} isRelative /> : 'Never'}</dd>
    </div>
  </dl>
);
