/** The signed-in user's keys. */
import { useState } from 'preact/hooks';
import { Connection } from './connection.tsx';
import { EmptyKeys } from './empty-keys.tsx';
import { EndedKeys } from './ended-keys.tsx';
import { Failed } from './failed.tsx';
import { Icon } from './icon.tsx';
import { KeyItem } from './key-item.tsx';
import { type Open, OpenDialog } from './open-dialog.tsx';
import { KeySkeletons } from './skeleton.tsx';
import { useFresh } from './use-fresh.ts';

export function KeysView() {
  const { content: keys, failure, reload } = useFresh((api) => api.keys.list.query());
  const [open, setOpen] = useState<Open>(null);
  const create = () => setOpen({ is: 'create' });
  return (
    <main class="main">
      <div class="page-head">
        <div>
          <h1 tabIndex={-1}>API keys</h1>
          <p class="lede">
            Keys let your scripts, front ends and AI agents act as you, within the scopes you give each of
            them.
          </p>
        </div>
        <button type="button" class="button is-primary" onClick={create} disabled={!keys}>
          <Icon name="plus" />
          Create key
        </button>
      </div>
      <Connection keys={keys} onReload={reload} />
      {!keys && (failure ? <Failed message={failure} onRetry={reload} /> : <KeySkeletons />)}
      {keys?.live.length === 0 && <EmptyKeys onCreate={create} />}
      {keys && keys.live.length > 0 && (
        <ul class="panel keys" aria-label="Live keys">
          {keys.live.map((key) => (
            <KeyItem key={key.id} item={key} maxDays={keys.max_days} onOpen={setOpen} />
          ))}
        </ul>
      )}
      {keys && keys.ended.length > 0 && <EndedKeys keys={keys.ended} />}
      {keys && <OpenDialog {...{ open, setOpen, reload, keys }} />}
    </main>
  );
}
