/** A live key: name, scopes, usage and actions. */
import type { LiveKey } from '../api.ts';
import { ActionButton } from '../controls.tsx';
import { Facts, Item } from '../item.tsx';
import { dayMs, distanceOf, Time } from '../time.tsx';

interface Props {
  item: LiveKey;
  /** How long new keys may live; null: for ever. */
  maxDays: number | null;
  onRotate(item: LiveKey): void;
  onRevoke(item: LiveKey): void;
}

export function KeyItem({ item, maxDays, onRotate, onRevoke }: Props) {
  const { servers, addresses } = item;
  const badges = [
    expiryOf(item),
    maxDays !== null && outlives(item, maxDays) && `Outlives the ${maxDays} days of new keys`,
  ];
  return (
    <Item
      title={item.name}
      about={
        <>
          {badges.map((text) => text && <span class="badge is-warning">{text}</span>)}
          <code class="prefix">{item.prefix}…</code>
        </>
      }
      actions={
        <>
          {item.state === 'live' && (
            <ActionButton icon="rotate" label="Rotate" about={item.name} onAct={() => onRotate(item)} />
          )}
          <ActionButton
            icon="trash"
            label="Revoke"
            about={item.name}
            isDangerous
            onAct={() => onRevoke(item)}
          />
        </>
      }
    >
      <ScopeList scopes={item.scopes} />
      {servers && <p class="note">Only servers: {servers.join(', ')}.</p>}
      {addresses && <p class="note">Only from: {addresses.join(', ')}.</p>}
      <Facts of={factsOf(item)} />
    </Item>
  );
}

export const ScopeList = ({ scopes }: { scopes: readonly string[] }) => (
  <ul class="tags" aria-label="Scopes">
    {scopes.map((scope) => (
      <li key={scope} dir="auto">
        <code>{scope}</code>
      </li>
    ))}
  </ul>
);

/** Whether a key of today could not be made so. */
const outlives = ({ created_at, expires_at }: LiveKey, maxDays: number) =>
  expires_at === null || Date.parse(expires_at) - Date.parse(created_at) > maxDays * dayMs;

const soonMs = 7 * dayMs;

function expiryOf({ state, expires_at }: LiveKey): string | null {
  if (expires_at === null) return null;
  if (state === 'replaced') return `Replaced, ends ${distanceOf(expires_at)}`;
  return Date.parse(expires_at) - Date.now() < soonMs ? `Expires ${distanceOf(expires_at)}` : null;
}

const factsOf = ({ created_at, expires_at, last_used_at, calls_left, calls_per_minute }: LiveKey) => ({
  Created: <Time iso={created_at} />,
  Expires: expires_at ? <Time iso={expires_at} /> : 'Never',
  'Last used': last_used_at ? <Time iso={last_used_at} isRelative /> : 'Never',
  'Left this minute': (
    <>
      {calls_left} of {calls_per_minute}
      <span class="meter" aria-hidden="true">
        <span style={{ width: `${(100 * calls_left) / calls_per_minute}%` }} />
      </span>
    </>
  ),
});
