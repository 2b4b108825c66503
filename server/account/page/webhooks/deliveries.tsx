/** A webhook's deliveries with their attempts, newest first. Pending ones are followed, and each can be sent again. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Delivery, Webhook, WebhookCalls, WebhookTypes } from '../api.ts';
import { ActionButton } from '../controls.tsx';
import { FailureNotice } from '../form.tsx';
import { Item } from '../item.tsx';
import { ListView } from '../list-view.tsx';
import { useAction, useShell } from '../shell.ts';
import { formatDateTime } from '../time.tsx';
import { itemsIn, type Page, usePages } from '../use-query.ts';
import { nameOf, nextTryOf, outcomeOf, sentenceOf } from './words.ts';

type Props = { calls: WebhookCalls; item: Webhook; types: WebhookTypes; deliveries: DeliveryList };

export function Deliveries({ calls, item, types, deliveries: { pages, isOpen, setOpen } }: Props) {
  const name = nameOf(item);
  return (
    <details class="deliveries" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Deliveries<span class="visually-hidden"> to {name}</span>
      </summary>
      <ListView
        query={pages}
        items={itemsIn}
        label={`Deliveries to ${name}`}
        more={
          <>
            Show older deliveries<span class="visually-hidden"> to {name}</span>
          </>
        }
        placeholder={<p class="note">Loading</p>}
        blank="Nothing was sent in the last 30 days."
        isInner
        item={(delivery: Delivery) => (
          <DeliveryItem key={delivery.id} {...{ calls, item, types, delivery, onSent: pages.reload }} />
        )}
      />
    </details>
  );
}

interface ItemProps extends Omit<Props, 'deliveries'> {
  delivery: Delivery;
  onSent(): Promise<unknown>;
}

function DeliveryItem({ calls, item, types, delivery, onSent }: ItemProps) {
  const { notify } = useShell();
  const action = useAction();
  const { id, type, attempts, created_at, next_attempt_at: next } = delivery;
  const send = () =>
    action.run(async () => {
      await calls.redeliver.mutate({ webhook_id: item.id, delivery_id: id });
      await onSent();
      notify('The event is being sent again.');
    });
  const about = `${type} of ${formatDateTime(created_at)}`;
  const isOver = item.active && delivery.status !== 'pending';
  return (
    <Item
      isLine
      title={sentenceOf(types, type)}
      about={<StatusBadge of={delivery.status} />}
      actions={
        isOver && (
          <ActionButton icon="refresh" label="Send again" about={about} isBusy={action.isBusy} onAct={send} />
        )
      }
    >
      <p class="note">
        <code>{type}</code> · <time dateTime={created_at}>{formatDateTime(created_at)}</time>
      </p>
      <ol class="attempts" aria-label="Attempts">
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            <time dateTime={attempt.at}>{formatDateTime(attempt.at)}</time>: {outcomeOf(attempt)}, after{' '}
            {attempt.duration_ms} ms
          </li>
        ))}
        {next && <li>{nextTryOf(attempts, next)}</li>}
      </ol>
      <FailureNotice of={action} />
    </Item>
  );
}

const statuses: Record<string, { badge: string; text: string }> = {
  delivered: { badge: 'badge is-success', text: 'Delivered' },
  failed: { badge: 'badge is-warning', text: 'Failed' },
  pending: { badge: 'badge', text: 'Pending' },
};

function StatusBadge({ of: status }: { of: string }) {
  const { badge, text } = statuses[status] ?? { badge: 'badge', text: status };
  return (
    <span class={badge} role="status">
      {text}
    </span>
  );
}

const pageSize = 10;
const followMs = 1500;
/** A delivery whose next attempt is later is not followed. */
const soonMs = 60_000;

type DeliveryList = ReturnType<typeof useDeliveries>;

/**
 * @param onTried called after another attempt, which may have turned the webhook off or shown that it fails or works
 * again
 */
export function useDeliveries(calls: WebhookCalls, webhook_id: string, onTried: () => Promise<unknown>) {
  const [isOpen, setOpen] = useState(false);
  const read = async (_: unknown, last?: Delivery): Promise<Page<Delivery>> => {
    const request = { webhook_id, limit: pageSize, ...(last && { before: last.id }) };
    const { deliveries, has_more } = await calls.listDeliveries.query(request);
    return { items: deliveries, hasMore: has_more };
  };
  const isFollowed = (page: Page<Delivery> | null) => isOpen && (page?.items.some(isDueSoon) ?? false);
  const pages = usePages(read, { isOn: false, pace: (page) => (isFollowed(page) ? followMs : null) });
  const tried = pages.content?.items.reduce((sum, { attempts }) => sum + attempts.length, 0);
  // A final attempt may turn the webhook off a moment later, so it is followed until then.
  const progress = tried === undefined ? null : `${tried} ${isFollowed(pages.content)}`;
  const before = useRef(progress);
  useEffect(() => {
    if (before.current !== null && before.current !== progress) void onTried();
    before.current = progress;
  }, [progress]);
  return {
    pages,
    isOpen,
    setOpen(isNowOpen: boolean) {
      setOpen(isNowOpen);
      if (isNowOpen && !isOpen) void pages.reload();
    },
    async open() {
      setOpen(true);
      await pages.reload();
    },
  };
}

const isDueSoon = ({ next_attempt_at }: Delivery) =>
  next_attempt_at !== null && Date.parse(next_attempt_at) - Date.now() < soonMs;
