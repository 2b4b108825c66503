/** The signed-in user's subscriptions: what state each is in, and since when there is one. */
import type { Subscription } from '../api.ts';
import { Item, List } from '../item.tsx';
import { Time } from '../time.tsx';
import { onReturn, useQuery } from '../use-query.ts';
import { Blank, ResourceView, View } from '../view.tsx';
import { statusOf } from './status.ts';

export function SubscriptionsView() {
  const query = useQuery((api) => api.subscriptions.list.query(), onReturn);
  return (
    <View title="Subscriptions" lede="What you have ordered, as your host's billing system knows it.">
      <ResourceView of={query}>
        {({ subscriptions }) => (
          <List label="Subscriptions" items={subscriptions} empty={<NoSubscriptions />}>
            {(item) => <SubscriptionItem key={item.reference} item={item} />}
          </List>
        )}
      </ResourceView>
    </View>
  );
}

function SubscriptionItem({ item: { reference, status, created_at } }: { item: Subscription }) {
  const { words, badge } = statusOf(status);
  return (
    <Item
      isLine
      title={<span class={badge}>{words}</span>}
      about={
        <>
          <span>
            Since <Time iso={created_at} />
          </span>
          <code class="prefix">{reference}</code>
        </>
      }
    />
  );
}

const NoSubscriptions = () => (
  <Blank
    icon="card"
    title="No subscriptions"
    text={
      <>
        What you order appears here. Programs read it with a key:{' '}
        <a href="/api/v1/docs#operations-tag-Subscriptions">Subscriptions in the API</a>
      </>
    }
  />
);
