/** The deliveries of a webhook with their attempts, newest first; each can be sent again. */

import { ActionButton } from '../action-button.tsx';
import type { Delivery, Webhook, WebhookTypes } from '../api.ts';
import { FailureNotice } from '../form.tsx';
import { PagedList } from '../resource-view.tsx';
import { useAction, useShell } from '../shell.ts';
import { momentOf } from '../time.tsx';
import type { DeliveryList } from './use-deliveries.ts';
import { nameOf, nextTryOf, outcomeOf, sentenceOf } from './words.ts';

interface Props {
  item: Webhook;
  types: WebhookTypes;
  deliveries: DeliveryList;
}

export function Deliveries({ item, types, deliveries: { pages, isOpen, setOpen } }: Props) {
  const name = nameOf(item);
  return (
    <details class="deliveries" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Deliveries<span class="visually-hidden"> to {name}</span>
      </summary>
      <FailureNotice of={pages} />
      {pages.content?.items.length === 0 && <p class="note">Nothing was sent in the last 30 days.</p>}
      <PagedList of={pages} label={`Deliveries to ${name}`} more={<More name={name} />} isSmall>
        {(delivery) => (
          <DeliveryItem key={delivery.id} {...{ item, types, delivery, onSent: pages.reload }} />
        )}
      </PagedList>
    </details>
  );
}

const More = ({ name }: { name: string }) => (
  <>
    Show older deliveries<span class="visually-hidden"> to {name}</span>
  </>
);

interface ItemProps extends Pick<Props, 'item' | 'types'> {
  delivery: Delivery;
  /** It is on its way again. */
  onSent(): Promise<unknown>;
}

function DeliveryItem({ item, types, delivery, onSent }: ItemProps) {
  const { api, notify } = useShell();
  const action = useAction();
  const { id, type, attempts, created_at } = delivery;
  const send = () =>
    action.run(async () => {
      await api.webhooks.redeliver.mutate({ webhook_id: item.id, delivery_id: id });
      await onSent();
      notify('The event is on its way again.');
    });
  return (
    <li class="delivery" tabIndex={-1}>
      <div class="delivery-head">
        <span class="delivery-what">{sentenceOf(types, type)}</span>
        <StatusBadge delivery={delivery} />
      </div>
      <p class="note">
        <code>{type}</code> · <time dateTime={created_at}>{momentOf(created_at)}</time>
      </p>
      <Attempts attempts={attempts} next={delivery.next_attempt_at} />
      {item.active && delivery.status !== 'pending' && (
        <ActionButton
          icon="refresh"
          label="Send again"
          about={`${type} of ${momentOf(created_at)}`}
          isBusy={action.isBusy}
          onAct={send}
        />
      )}
      <FailureNotice of={action} />
    </li>
  );
}

const statuses: Record<string, { badge: string; text: string }> = {
  delivered: { badge: 'badge is-success', text: 'Delivered' },
  failed: { badge: 'badge is-warning', text: 'Failed' },
  pending: { badge: 'badge', text: 'Pending' },
};

function StatusBadge({ delivery: { status } }: { delivery: Delivery }) {
  const { badge, text } = statuses[status] ?? { badge: 'badge', text: status };
  return (
    <span class={badge} role="status">
      {text}
    </span>
  );
}

interface AttemptsProps extends Pick<Delivery, 'attempts'> {
  /** When it is tried next; null: not again. */
  next: string | null;
}

const Attempts = ({ attempts, next }: AttemptsProps) => (
  <ol class="attempts" aria-label="Attempts">
    {attempts.map((attempt) => (
      <li key={attempt.at}>
        <time dateTime={attempt.at}>{momentOf(attempt.at)}</time>: {outcomeOf(attempt)}, after{' '}
        {attempt.duration_ms} ms
      </li>
    ))}
    {next && <li>{nextTryOf(attempts, next)}</li>}
  </ol>
);
