/** A live key: name, scopes, usage and actions. */
import type { LiveKey } from './api.ts';
import { Icon } from './icon.tsx';
import type { Open } from './open-dialog.tsx';
import { dayMs, distanceOf, Time } from './time.tsx';

interface Props {
  item: LiveKey;
  /** How long new keys may live; null: for ever. */
  maxDays: number | null;
  onOpen(open: Open): void;
}

export function KeyItem({ item, maxDays, onOpen }: Props) {
  return (
    <li class="key">
      <div class="key-head">
        <div class="key-title">
          <h2>
            <bdi>{item.name}</bdi>
          </h2>
          <ExpiryBadge item={item} />
          {maxDays !== null && outlives(item, maxDays) && (
            <span class="badge is-warning">Outlives the {maxDays} days of new keys</span>
          )}
        </div>
        <code class="prefix">{item.prefix}…</code>
      </div>
      <div class="reach">
        <ul class="scopes" aria-label="Scopes">
          {item.scopes.map((scope) => (
            <li class="scope" key={scope}>
              {scope}
            </li>
          ))}
        </ul>
        <Restrictions item={item} />
      </div>
      <KeyFacts item={item} />
      <KeyActions item={item} onOpen={onOpen} />
    </li>
  );
}

function KeyActions({ item, onOpen }: Pick<Props, 'item' | 'onOpen'>) {
  return (
    <div class="key-actions">
      {item.state === 'live' && (
        <button
          type="button"
          class="button is-small"
          aria-label={`Rotate ${item.name}`}
          onClick={() => onOpen({ is: 'rotate', key: item })}
        >
          <Icon name="rotate" />
          Rotate
        </button>
      )}
      <button
        type="button"
        class="button is-small is-quiet-danger"
        aria-label={`Revoke ${item.name}`}
        onClick={() => onOpen({ is: 'revoke', key: item })}
      >
        <Icon name="trash" />
        Revoke
      </button>
    </div>
  );
}

/** Whether a key of today could not be made so. */
const outlives = ({ created_at, expires_at }: LiveKey, maxDays: number) =>
  expires_at === null || Date.parse(expires_at) - Date.parse(created_at) > maxDays * dayMs;

function Restrictions({ item: { servers, addresses } }: { item: LiveKey }) {
  if (!servers && !addresses) return null;
  return (
    <p class="note restricted">
      {servers && <span>Only servers: {servers.join(', ')}. </span>}
      {addresses && <span>Only from: {addresses.join(', ')}.</span>}
    </p>
  );
}

const soonMs = 7 * dayMs;

function ExpiryBadge({ item: { state, expires_at } }: { item: LiveKey }) {
  if (expires_at === null) return null;
  if (state === 'replaced')
    return <span class="badge is-warning">Replaced, ends {distanceOf(expires_at)}</span>;
  const isSoon = Date.parse(expires_at) - Date.now() < soonMs;
  return isSoon ? <span class="badge is-warning">Expires {distanceOf(expires_at)}</span> : null;
}

function KeyFacts({ item }: { item: LiveKey }) {
  return (
    <dl class="facts">
      <div>
        <dt>Created</dt>
        <dd>
          <Time iso={item.created_at} />
        </dd>
      </div>
      <div>
        <dt>Expires</dt>
        <dd>{item.expires_at ? <Time iso={item.expires_at} /> : 'Never'}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>{item.last_used_at ? <Time iso={item.last_used_at} isRelative /> : 'Never'}</dd>
      </div>
      <div>
        <dt>Left this minute</dt>
        <dd class="calls">
          {item.calls_left} of {item.calls_per_minute}
          <span class="meter" aria-hidden="true">
            <span style={{ width: `${(100 * item.calls_left) / item.calls_per_minute}%` }} />
          </span>
        </dd>
      </div>
    </dl>
  );
}
