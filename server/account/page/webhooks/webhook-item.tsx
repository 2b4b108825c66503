/** A webhook: where it leads, what it gets, whether it works, and what its owner can do with it. */
import type { Webhook, WebhookTypes } from '../api.ts';
import { Time } from '../time.tsx';
import { Fact } from '../view.tsx';
import { Deliveries, useDeliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import type { Opener } from './webhook-dialogs.tsx';
import { nameOf, sentenceOf } from './words.ts';

interface Props extends Opener {
  item: Webhook;
  types: WebhookTypes;
}

export function WebhookItem({ item, types, ...opener }: Props) {
  const deliveries = useDeliveries(item.id, opener.reload);
  return (
    <li class="webhook">
      <div class="key-head">
        <div class="key-title">
          <h2>
            <bdi>{nameOf(item)}</bdi>
          </h2>
          <StateBadge item={item} />
        </div>
        <code class="prefix">{item.url}</code>
        {isFailing(item) && (
          <p class="note is-danger">
            Deliveries are failing, the first of them <Time iso={item.failing_since ?? ''} isRelative />.
            Their list below says why.
          </p>
        )}
        {item.disabled_reason && <p class="note is-danger">It was turned off: {item.disabled_reason}</p>}
      </div>
      <ul class="webhook-events" aria-label="Events">
        {item.events.map((type) => (
          <li key={type}>{type === '*' ? 'Everything that happens.' : sentenceOf(types, type)}</li>
        ))}
      </ul>
      <WebhookFacts item={item} />
      <WebhookActions {...{ item, types, ...opener }} onTest={deliveries.open} />
      <Deliveries item={item} types={types} deliveries={deliveries} />
    </li>
  );
}

const isFailing = ({ active, failing_since }: Webhook) => active && failing_since !== null;

function StateBadge({ item }: { item: Webhook }) {
  const isWorking = item.active && !isFailing(item);
  return (
    <span class={isWorking ? 'badge is-success' : 'badge is-warning'}>
      {isFailing(item) ? 'Failing' : item.active ? 'On' : 'Off'}
    </span>
  );
}

const WebhookFacts = ({ item }: { item: Webhook }) => (
  <dl class="facts">
    <Fact name="Last delivered">
      {item.last_success_at ? <Time iso={item.last_success_at} isRelative /> : 'Never'}
    </Fact>
    <Fact name="Sent as">{item.format === 'discord' ? 'Discord messages' : 'Signed JSON'}</Fact>
    <Fact name="Created">
      <Time iso={item.created_at} />
    </Fact>
    <Fact name="Made by" class="webhook-maker">
      {item.made_by ? <bdi>{item.made_by}</bdi> : 'You, on this page'}
    </Fact>
  </dl>
);
