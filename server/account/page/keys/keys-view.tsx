/** The signed-in user's keys. */
import { useEffect } from 'preact/hooks';
import type { EndedKey, IssuedKey, KeyList, LiveKey } from '../api.ts';
import { useDialog } from '../dialog.tsx';
import { Icon } from '../icon.tsx';
import { ResourceView } from '../resource-view.tsx';
import { Time } from '../time.tsx';
import { onReturn, type Query, useQuery } from '../use-query.ts';
import { Blank, CreateButton, Fact, View } from '../view.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeySecretDialog, RevokeDialog, RotateDialog } from './key-dialogs.tsx';
import { KeyItem } from './key-item.tsx';
import { type KeyLink, leaveKeyLink, readKeyLink } from './key-link.ts';

export function KeysView({ detail }: { detail: string | null }) {
  const query = useQuery((api) => api.keys.list.query(), onReturn);
  const { content, reload } = query;
  const { dialog, create, rotate, revoke } = useKeyDialogs(query, detail);
  return (
    <View
      title="API keys"
      lede="Keys let your scripts, front ends and AI agents act as you, within the scopes you give each of them."
      action={<CreateButton label="Create key" isDisabled={!content} onClick={() => create()} />}
    >
      <Connection keys={content} onReload={reload} />
      <ResourceView of={query}>
        {({ live, ended, max_days }) => (
          <>
            {live.length === 0 && <NoKeys onCreate={() => create()} />}
            {live.length > 0 && (
              <ul class="panel keys" aria-label="Live keys">
                {live.map((key) => (
                  <KeyItem key={key.id} item={key} maxDays={max_days} onRotate={rotate} onRevoke={revoke} />
                ))}
              </ul>
            )}
            {ended.length > 0 && <EndedKeys keys={ended} />}
          </>
        )}
      </ResourceView>
      {dialog}
    </View>
  );
}

function useKeyDialogs(
  { content: keys, reload }: Pick<Query<KeyList>, 'content' | 'reload'>,
  detail: string | null,
) {
  const { dialog, show } = useDialog(leaveKeyLink);
  const showSecret = async (issued: IssuedKey, isRotated: boolean) => {
    show(<KeySecretDialog {...{ issued, isRotated }} />);
    await reload();
  };
  const create = (link: KeyLink | null = null) => {
    const onCreated = (issued: IssuedKey) => {
      leaveKeyLink();
      return showSecret(issued, false);
    };
    if (keys) show(<CreateKeyDialog {...{ keys, link, onCreated }} />);
  };
  const isLoaded = keys !== null;
  useEffect(() => {
    const link = readKeyLink(location);
    if (link) create(link);
  }, [detail, isLoaded]);
  return {
    dialog,
    create,
    rotate(item: LiveKey) {
      show(<RotateDialog item={item} onRotated={(issued) => showSecret(issued, true)} />);
    },
    revoke: (item: LiveKey) => show(<RevokeDialog item={item} onRevoked={reload} />),
  };
}

const NoKeys = ({ onCreate }: { onCreate: () => void }) => (
  <Blank
    icon="key"
    title="No live keys"
    text={
      <>
        Create one and make your first call in a minute: a ready-made command comes with it. See{' '}
        <a href="/api/v1/docs#first-call">what the first call looks like</a>, and{' '}
        <a href="/api/v1/docs#examples">examples to copy</a>
      </>
    }
  >
    <button type="button" class="button is-primary" onClick={onCreate}>
      Create a key
    </button>
  </Blank>
);

/** The API's base URL and limits, which an integrator needs besides a key. */
const Connection = ({ keys, onReload }: { keys: KeyList | null; onReload: () => void }) => (
  <div class="connection">
    <dl class="connection-facts">
      <Fact name="Base URL">
        <code>{location.origin}/api/v1</code>
      </Fact>
      <Fact name="Live keys">{keys ? `${keys.live.length} of ${keys.live_max}` : '–'}</Fact>
      <Fact name="Limit of each key">{keys ? `${keys.calls_per_minute} calls a minute` : '–'}</Fact>
    </dl>
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
        <li class="ended-key" key={key.id}>
          <bdi class="ended-name">{key.name}</bdi>
          <code class="prefix">{key.prefix}…</code>
          <span class="badge">{key.is_leaked ? 'Revoked: found leaked' : endings[key.state]}</span>
          <span class="ended-date">
            ended <Time iso={key.revoked_at ?? key.expires_at ?? key.created_at} isRelative />
          </span>
        </li>
      ))}
    </ul>
  </details>
);
