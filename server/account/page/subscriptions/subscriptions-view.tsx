/** The signed-in user's subscriptions, each with its status and start. */
import type { Subscription } from '../api.ts';
import { Item } from '../item.tsx';
import { ListView } from '../list-view.tsx';
import { Time } from '../time.tsx';
import { onReturn, useQuery } from '../use-query.ts';
import { type BlankProps, View } from '../view.tsx';

export function SubscriptionsView() {
  const query = useQuery((api) => api.subscriptions.list.query(), onReturn);
  return (
    <View title="Subscriptions" lede="Your subscriptions, as your host's billing system reports them.">
      <ListView
        query={query}
        items={({ subscriptions }) => subscriptions}
        label="Subscriptions"
        blank={noSubscriptions}
        item={(item) => <SubscriptionItem key={item.reference} item={item} />}
      />
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

const noSubscriptions: BlankProps = {
  icon: 'card',
  title: 'No subscriptions',
  text: (
    <>
      Your subscriptions appear here. Programs can read them with a key:{' '}
      <a href="/api/v1/docs#operations-tag-Subscriptions">Subscriptions in the API</a>
    </>
  ),
};

type Status = { words: string; badge: string };

const good = 'badge is-success';
const due = 'badge is-warning';
const over = 'badge';

/** Payment providers use different names for the same status. */
const known: Partial<Record<string, Status>> = {
  active: { words: 'Active', badge: good },
  trialing: { words: 'On trial', badge: good },
  past_due: { words: 'Payment is late', badge: due },
  unpaid: { words: 'Not paid', badge: due },
  incomplete: { words: 'Payment is not complete', badge: due },
  incomplete_expired: { words: 'Never paid', badge: over },
  pending: { words: 'Not started yet', badge: due },
  paused: { words: 'Paused', badge: over },
  suspended: { words: 'Suspended', badge: due },
  canceled: { words: 'Canceled', badge: over },
  cancelled: { words: 'Canceled', badge: over },
  terminated: { words: 'Ended', badge: over },
  expired: { words: 'Ended', badge: over },
};

const statusOf = (status: string): Status =>
  known[
    status
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_')
  ] ?? { words: asWords(status), badge: over };

function asWords(status: string): string {
  const words = status.replace(/_+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
