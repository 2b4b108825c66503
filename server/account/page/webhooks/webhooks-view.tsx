/** The webhooks of the signed-in user or of the host. */
import type { ComponentChildren } from 'preact';
import type { WebhookCalls, WebhookSecret } from '../api.ts';
import { SecretDialog, useDialog } from '../dialog.tsx';
import { ListView } from '../list-view.tsx';
import { useShell } from '../shell.ts';
import { onReturn, useQuery } from '../use-query.ts';
import { type BlankProps, CreateButton, View } from '../view.tsx';
import { CreateDialog } from './webhook-form.tsx';
import { WebhookItem } from './webhook-item.tsx';
import { nameOf } from './words.ts';

export function WebhooksView() {
  const { webhooks } = useShell().api;
  return <Webhooks calls={webhooks} title="Webhooks" lede={<Lede />} />;
}

export function HostWebhooksView() {
  const { webhooks } = useShell().api;
  return <Webhooks calls={webhooks.host} title="Host webhooks" lede={<HostLede />} />;
}

function Webhooks({ calls, title, lede }: { calls: WebhookCalls; title: string; lede: ComponentChildren }) {
  const query = useQuery(() => calls.list.query(), onReturn);
  const { content, reload: onChanged } = query;
  const { dialog, ...dialogs } = useDialog();
  /** A Discord webhook has no secret. */
  const showSecret = async (shown: WebhookSecret, isRotated: boolean) => {
    dialogs.show(shown.secret === null ? null : <WebhookSecretDialog of={shown} isRotated={isRotated} />);
    await onChanged();
  };
  const onCreated = (created: WebhookSecret) => showSecret(created, false);
  const create = () =>
    content && dialogs.show(<CreateDialog {...{ calls, title, onCreated }} types={content.types} />);
  const onRotated = (rotated: WebhookSecret) => showSecret(rotated, true);
  return (
    <View
      title={title}
      lede={lede}
      action={<CreateButton label="Create webhook" isDisabled={!content} onClick={create} />}
    >
      <ListView
        query={query}
        items={({ webhooks }) => webhooks}
        label="Webhooks"
        blank={noWebhooks}
        create={{ label: 'Create the first webhook', onClick: create }}
        item={(item, { types }) => (
          <WebhookItem key={item.id} {...{ calls, item, types, dialogs, onChanged, onRotated }} />
        )}
      >
        {({ webhooks, webhooks_max }) =>
          webhooks.length > 0 && <p class="note">{`${webhooks.length} of ${webhooks_max} webhooks`}</p>
        }
      </ListView>
      {dialog}
    </View>
  );
}

const noWebhooks: BlankProps = {
  icon: 'hook',
  title: 'No webhooks',
  text: 'Create one to notify your program or channel of replies, server states and keys, without polling.',
};

const WebhookSecretDialog = (props: { of: WebhookSecret; isRotated: boolean }) => (
  <SecretDialog
    title={`${props.isRotated ? 'The new secret' : 'The secret'} of ${nameOf(props.of.webhook)}`}
    secret={props.of.secret ?? ''}
    what="secret"
    advice="Anyone who has it can forge events."
  >
    <p>
      Your program checks the signature of each request with it:{' '}
      <a href="/api/v1/docs#webhooks" target="_blank" rel="noreferrer">
        receivers in TypeScript and Python<span class="visually-hidden">, in a new tab</span>
      </a>
      .
    </p>
    {props.isRotated && <p>For 24 hours each request is also signed with the old secret.</p>}
  </SecretDialog>
);

const Lede = () => (
  <>
    What happens in your account is sent to your programs as signed JSON, or to a Discord channel.{' '}
    <a href="/api/v1/docs#webhooks">How to receive it</a>
  </>
);

const HostLede = () => (
  <>
    What happens in all customers' accounts is sent to your programs, such as your billing system. These
    webhooks end when you are no longer an administrator.{' '}
    <a href="/api/v1/docs#webhooks">How to receive them</a>
  </>
);
