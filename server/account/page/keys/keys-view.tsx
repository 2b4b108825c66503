/** The signed-in user's keys. */
import { useEffect } from 'preact/hooks';
import { dayMs } from '../../../../models/support/durations.ts';
import type { EndedKey, IssuedKey, KeyList, LiveKey, Server } from '../api.ts';
import { type Question, useDialog } from '../dialog.tsx';
import { Icon } from '../icon.tsx';
import { Facts, Item } from '../item.tsx';
import { ListView } from '../list-view.tsx';
import { Menu, MenuItem } from '../menu.tsx';
import { withNames } from '../text.tsx';
import { formatRelativeTime, formatTimeAgo, Time } from '../time.tsx';
import { onReturn, useQuery, useServers } from '../use-query.ts';
import { type BlankProps, CreateButton, View } from '../view.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeySecretDialog, RenameDialog, RotateDialog } from './key-dialogs.tsx';
import { type KeyLink, leaveKeyLink, readKeyLink } from './key-link.tsx';

export function KeysView({ detail }: { detail: string | null }) {
  const query = useQuery((api) => api.keys.list.query(), onReturn);
  const { content, reload } = query;
  const { dialog, create, ...actions } = useKeyDialogs(content, reload);
  const isLoaded = content !== null;
  const { servers } = useServers({ isOn: content?.live.some((key) => key.servers !== null) ?? false });
  useEffect(() => {
    const link = readKeyLink(location);
    if (link) create(link);
  }, [detail, isLoaded]);
  return (
    <View
      title="API keys"
      lede="Keys let your scripts, front ends and AI agents act as you, within the scopes you give each of them."
      action={<CreateButton label="Create key" isDisabled={!content} onClick={() => create()} />}
    >
      <Connection keys={content} onReload={reload} />
      <ListView
        query={query}
        items={({ live }) => live}
        label="Live keys"
        blank={noKeys}
        create={{ label: 'Create the first key', onClick: () => create() }}
        item={(key, { max_days }) => (
          <KeyItem key={key.id} item={key} maxDays={max_days} allServers={servers} {...actions} />
        )}
      >
        {({ ended }) => ended.length > 0 && <EndedKeys keys={ended} />}
      </ListView>
      {dialog}
    </View>
  );
}

function useKeyDialogs(keys: KeyList | null, reload: () => Promise<unknown>) {
  const { dialog, show, confirm } = useDialog(leaveKeyLink);
  const showSecret = async (issued: IssuedKey, isRotated: boolean) => {
    show(<KeySecretDialog of={issued} isRotated={isRotated} />);
    await reload();
  };
  return {
    dialog,
    create(link: KeyLink | null = null) {
      const onCreated = (issued: IssuedKey) => {
        leaveKeyLink();
        return showSecret(issued, false);
      };
      if (keys) show(<CreateKeyDialog {...{ keys, link, onCreated }} />);
    },
    rename: (item: LiveKey) => show(<RenameDialog item={item} onRenamed={reload} />),
    rotate(item: LiveKey) {
      show(<RotateDialog item={item} onRotated={(issued) => showSecret(issued, true)} />);
    },
    revoke: (item: LiveKey) => confirm(revocation(item, reload)),
  };
}

const revocation = (
  { id, name, prefix, last_used_at }: LiveKey,
  onRevoked: () => Promise<unknown>,
): Question => ({
  title: withNames`Revoke ${name}?`,
  text: (
    <>
      Every call with <code class="note">{prefix}…</code> is refused from now on, and webhooks that it created
      are turned off. This cannot be undone.
    </>
  ),
  more: (
    <p class="note">
      {last_used_at ? `It was last used ${formatTimeAgo(last_used_at)}.` : 'It was never used.'}
    </p>
  ),
  verb: 'Revoke key',
  isDangerous: true,
  async act(api) {
    await api.keys.revoke.mutate({ id });
    await onRevoked();
    return withNames`${name} is revoked.`;
  },
});

const noKeys: BlankProps = {
  icon: 'key',
  title: 'No live keys',
  text: (
    <>
      Create one and make your first call in a minute: a ready-made command comes with it. See{' '}
      <a href="/api/v1/docs#first-call">what the first call looks like</a>, and{' '}
      <a href="/api/v1/docs#examples">examples to copy</a>
    </>
  ),
};

const Connection = ({ keys, onReload }: { keys: KeyList | null; onReload: () => void }) => (
  <div class="panel connection">
    <Facts
      of={{
        'Base URL': <code>{location.origin}/api/v1</code>,
        'Live keys': keys ? `${keys.live.length} of ${keys.live_max}` : '–',
        'Limit of each key': keys ? `${keys.calls_per_minute} calls a minute` : '–',
      }}
    />
    <button type="button" class="icon-button" aria-label="Refresh the list" onClick={onReload}>
      <Icon name="refresh" />
    </button>
  </div>
);

const endings = { live: 'Live', replaced: 'Replaced', expired: 'Expired', revoked: 'Revoked' };

/** Recently ended keys, which explain why a call is refused. */
const EndedKeys = ({ keys }: { keys: EndedKey[] }) => (
  <details class="ended">
    <summary>
      Ended keys <span class="count">{keys.length}</span>
    </summary>
    <ul class="panel" aria-label="Ended keys">
      {keys.map((key) => (
        <Item
          key={key.id}
          isLine
          title={key.name}
          about={
            <>
              <code class="note">{key.prefix}…</code>
              <span class="badge">{key.is_leaked ? 'Revoked: found leaked' : endings[key.state]}</span>
              <span class="note">
                ended <Time iso={key.revoked_at ?? key.expires_at ?? key.created_at} isRelative />
              </span>
            </>
          }
        />
      ))}
    </ul>
  </details>
);

interface ItemProps {
  item: LiveKey;
  /** The maximum lifetime of new keys; null: unlimited. */
  maxDays: number | null;
  /** Null until they are known. */
  allServers: Server[] | null;
  rename(item: LiveKey): void;
  rotate(item: LiveKey): void;
  revoke(item: LiveKey): void;
}

function KeyItem({ item, maxDays, allServers, ...actions }: ItemProps) {
  const { servers, addresses } = item;
  const badges = [
    expiryOf(item),
    maxDays !== null && outlives(item, maxDays) && `Outlives the ${maxDays}-day limit of new keys`,
  ];
  return (
    <Item
      title={item.name}
      about={
        <>
          {badges.map((text) => text && <span class="badge is-warning">{text}</span>)}
          <code class="note">{item.prefix}…</code>
        </>
      }
      actions={<KeyMenu item={item} {...actions} />}
    >
      {item.scopes.length > 0 && <ScopeList scopes={item.scopes} />}
      {item.inactive_scopes.map(({ scope, reason }) => (
        <p key={scope} class="note">
          <span class="badge is-warning">Does not work now</span> <code>{scope}</code>: {reason}.
        </p>
      ))}
      {servers && <p class="note">Only servers: {servers.map((id) => nameOf(id, allServers)).join(', ')}.</p>}
      {addresses && <p class="note">Only from: {addresses.join(', ')}.</p>}
      <Facts of={factsOf(item)} />
    </Item>
  );
}

const nameOf = (id: string, servers: Server[] | null) =>
  servers?.find(({ identifier, uuid }) => id === identifier || id === uuid)?.name ?? id;

const KeyMenu = ({ item, rename, rotate, revoke }: Omit<ItemProps, 'maxDays' | 'allServers'>) => (
  <Menu label={`Actions for ${item.name}`} class="icon-button" button={<Icon name="dots" />}>
    <MenuItem icon="edit" onClick={() => rename(item)}>
      Rename
    </MenuItem>
    {item.state === 'live' && (
      <MenuItem icon="rotate" onClick={() => rotate(item)}>
        Rotate
      </MenuItem>
    )}
    <MenuItem icon="trash" isDangerous onClick={() => revoke(item)}>
      Revoke
    </MenuItem>
  </Menu>
);

export const ScopeList = ({ scopes }: { scopes: readonly string[] }) => (
  <ul class="tags" aria-label="Scopes">
    {scopes.map((scope) => (
      <li key={scope} dir="auto">
        <code>{scope}</code>
      </li>
    ))}
  </ul>
);

/** Whether a key created now could not live as long. */
const outlives = ({ created_at, expires_at }: LiveKey, maxDays: number) =>
  expires_at === null || Date.parse(expires_at) - Date.parse(created_at) > maxDays * dayMs;

const soonMs = 7 * dayMs;

function expiryOf({ state, expires_at }: LiveKey): string | null {
  if (expires_at === null) return null;
  if (state === 'replaced') return `Replaced, ends ${formatRelativeTime(expires_at)}`;
  return Date.parse(expires_at) - Date.now() < soonMs ? `Expires ${formatRelativeTime(expires_at)}` : null;
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
