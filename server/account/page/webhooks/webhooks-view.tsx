/** The signed-in user's webhooks: where events are sent, and how that went. */
import { useState } from 'preact/hooks';
import { Failed } from '../failed.tsx';
import { Icon } from '../icon.tsx';
import { KeySkeletons } from '../skeleton.tsx';
import { useFresh } from '../use-fresh.ts';
import { type Open, OpenWebhookDialog } from './open-webhook-dialog.tsx';
import { WebhookItem } from './webhook-item.tsx';

export function WebhooksView() {
  const { content, failure, isFinal, reload } = useFresh((api) => api.webhooks.list.query());
  const [open, setOpen] = useState<Open>(null);
  const create = () => setOpen({ is: 'create' });
  return (
    <main class="main">
      <div class="page-head">
        <div>
          <h1 tabIndex={-1}>Webhooks</h1>
          <p class="lede">
            What happens in your account is sent to your programs as signed JSON, or to a channel of Discord.{' '}
            <a href="/api/v1/docs#webhooks">How to receive it</a>
          </p>
        </div>
        <button type="button" class="button is-primary" onClick={create} disabled={!content}>
          <Icon name="plus" />
          Create webhook
        </button>
      </div>
      {!content &&
        (failure ? <Failed message={failure} isFinal={isFinal} onRetry={reload} /> : <KeySkeletons />)}
      {content?.webhooks.length === 0 && <NoWebhooks onCreate={create} />}
      {content && content.webhooks.length > 0 && (
        <>
          <ul class="panel" aria-label="Webhooks">
            {content.webhooks.map((item) => (
              <WebhookItem key={item.id} {...{ item, types: content.types, reload, onOpen: setOpen }} />
            ))}
          </ul>
          <p class="note">
            {content.webhooks.length} of {content.webhooks_max} webhooks
          </p>
        </>
      )}
      {content && <OpenWebhookDialog {...{ open, setOpen, reload, types: content.types }} />}
    </main>
  );
}

const NoWebhooks = ({ onCreate }: { onCreate: () => void }) => (
  <div class="blank">
    <span class="blank-mark">
      <Icon name="hook" />
    </span>
    <h2>No webhooks</h2>
    <p>Create one, and your program or channel hears of replies, server states and keys without polling.</p>
    <button type="button" class="button is-primary" onClick={onCreate}>
      Create a webhook
    </button>
  </div>
);
