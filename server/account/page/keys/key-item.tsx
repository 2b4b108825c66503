/** A live key: name, scopes, usage and actions. */

import type { LiveKey } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { dayMs, distanceOf, Time } from '../time.tsx';
import { Fact } from '../view.tsx';

interface Props {
  item: LiveKey;
  /** How long new keys may live; null: for ever. */
  maxDays: number | null;
  onRotate(item: LiveKey): void;
  onRevoke(item: LiveKey): void;
}

export function KeyItem({ item, maxDays, onRotate, onRevoke }: Props) {
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
        <ScopeList scopes={item.scopes} />
        <Restrictions item={item} />
      </div>
      <KeyFacts item={item} />
      <KeyActions {...{ item, onRotate, onRevoke }} />
    </li>
  );
}

export const ScopeList = ({ scopes }: { scopes: readonly string[] }) => (
  <ul class="scopes" aria-label="Scopes">
    {scopes.map((scope) => (
      <li class="scope" key={scope}>
        {scope}
      </li>
    ))}
  </ul>
);

function KeyActions({ item, onRotate, onRevoke }: Omit<Props, 'maxDays'>) {
  return (
    <div class="key-actions">
      {item.state === 'live' && (
        <ActionButton icon="rotate" label="Rotate" about={item.name} onAct={() => onRotate(item)} />
      )}
      <ActionButton icon="trash" label="Revoke" about={item.name} isDangerous onAct={() => onRevoke(item)} />
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
      <Fact name="Created">
        <Time iso={item.created_at} />
      </Fact>
      <Fact name="Expires">{item.expires_at ? <Time iso={item.expires_at} /> : 'Never'}</Fact>
      <Fact name="Last used">
        {item.last_used_at ? <Time iso={item.last_used_at} isRelative /> : 'Never'}
      </Fact>
      <Fact name="Left this minute" class="calls">
        {item.calls_left} of {item.calls_per_minute}
        <span class="meter" aria-hidden="true">
          <span style={{ width: `${(100 * item.calls_left) / item.calls_per_minute}%` }} />
        </span>
      </Fact>
    </dl>
  );
}
