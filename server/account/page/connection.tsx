/** The API's base URL and limits, which an integrator needs besides a key. */
import type { KeyList } from './api.ts';
import { Icon } from './icon.tsx';

export function Connection({ keys, onReload }: { keys: KeyList | null; onReload: () => void }) {
  return (
    <div class="connection">
      <dl class="connection-facts">
        <div>
          <dt>Base URL</dt>
          <dd>
            <code>{location.origin}/api/v1</code>
          </dd>
        </div>
        <div>
          <dt>Live keys</dt>
          <dd>{keys ? `${keys.live.length} of ${keys.live_max}` : '–'}</dd>
        </div>
        <div>
          <dt>Limit of each key</dt>
          <dd>{keys ? `${keys.calls_per_minute} calls a minute` : '–'}</dd>
        </div>
      </dl>
      <button type="button" class="icon-button" aria-label="Refresh the list" onClick={onReload}>
        <Icon name="refresh" />
      </button>
    </div>
  );
}
