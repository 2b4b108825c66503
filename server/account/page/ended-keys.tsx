/** Recently ended keys, which explain why a call is refused. */
import type { EndedKey } from './api.ts';
import { Time } from './time.tsx';

const words = { live: 'Live', replaced: 'Replaced', expired: 'Expired', revoked: 'Revoked' };

export function EndedKeys({ keys }: { keys: EndedKey[] }) {
  return (
    <details class="ended">
      <summary>
        Ended keys <span class="count">{keys.length}</span>
      </summary>
      <ul class="panel" aria-label="Ended keys">
        {keys.map((key) => (
          <li class="ended-key" key={key.id}>
            <bdi class="ended-name">{key.name}</bdi>
            <code class="prefix">{key.prefix}…</code>
            <span class="badge">{key.is_leaked ? 'Revoked: found leaked' : words[key.state]}</span>
            <span class="ended-date">
              ended <Time iso={key.revoked_at ?? key.expires_at ?? key.created_at} isRelative />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
