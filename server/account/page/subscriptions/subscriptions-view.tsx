/** The signed-in user's subscriptions: what each costs, when it renews, and its server. */
import type { Server, Subscription } from '../api.ts';
import { copyText } from '../code.tsx';
import { Icon } from '../icon.tsx';
import { Facts, Item } from '../item.tsx';
import { ListView } from '../list-view.tsx';
import { serverAddress } from '../route.ts';
import { useShell } from '../shell.ts';
import { Time } from '../time.tsx';
import { onReturn, useQuery, useServers } from '../use-query.ts';
import { type BlankProps, View } from '../view.tsx';
import { renewalOf, statusOf } from './status.ts';

export function SubscriptionsView() {
  const query = useQuery((api) => api.subscriptions.list.query(), onReturn);
  const { servers } = useServers();
  return (
    <View title="Subscriptions" lede="Your subscriptions, as your host's billing system reports them.">
      <ListView
        query={query}
        items={({ subscriptions }) => subscriptions}
        label="Subscriptions"
        blank={noSubscriptions}
        item={(item) => (
          <SubscriptionItem
            key={item.reference}
            item={item}
            // The API does not know which server a subscription pays for.
            server={servers?.find(({ name }) => name === item.name)}
          />
        )}
      />
    </View>
  );
}

function SubscriptionItem({ item, server }: { item: Subscription; server: Server | undefined }) {
  const { name, status, price, renews_at, created_at, reference } = item;
  const title = name ?? 'Subscription';
  const { words, badge } = statusOf(status);
  const renewal = renews_at && renewalOf(renews_at, words);
  return (
    <Item
      title={title}
      about={
        <>
          {price && <strong dir="auto">{price}</strong>}
          <span class={badge}>{words}</span>
        </>
      }
    >
      <Facts
        of={{
          ...(renewal && { [renewal]: <Time iso={renews_at} /> }),
          Since: <Time iso={created_at} />,
          ...(server && { Server: <a href={serverAddress(server.identifier)}>{server.name}</a> }),
          Reference: <Reference text={reference} about={title} />,
        }}
      />
    </Item>
  );
}

function Reference({ text, about }: { text: string; about: string }) {
  const { notify } = useShell();
  const copy = async () => notify((await copyText(text, null)) ? 'Reference copied' : text);
  return (
    <button type="button" class="link item-head" title={text} onClick={copy}>
      <span class="visually-hidden">Copy reference </span>
      <code translate={false}>{text.slice(0, 12)}…</code> <Icon name="copy" />
      <span class="visually-hidden"> of {about}</span>
    </button>
  );
}

const noSubscriptions: BlankProps = {
  icon: 'card',
  title: 'No subscriptions',
  text: (
    <>
      Order a server from your host: its subscription then appears here, with its price and renewal. Programs
      can read them with a key:{' '}
      <a href="/api/v1/docs#operations-tag-Subscriptions">Subscriptions in the API</a>
    </>
  ),
};
