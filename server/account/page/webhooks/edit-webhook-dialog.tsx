/** Changes a webhook's address, events and name. */
import type { Webhook, WebhookTypes } from '../api.ts';
import { DialogForm } from '../dialog.tsx';
import { useAction, useShell } from '../shell.ts';
import { useProblems, WebhookFields, webhookOf } from './webhook-fields.tsx';
import { nameOf } from './words.ts';

interface Props {
  item: Webhook;
  types: WebhookTypes;
  onClose(): void;
  onChanged(): Promise<unknown>;
}

export function EditWebhookDialog({ item, types, onClose, onChanged }: Props) {
  const { api, notify } = useShell();
  const { problems, action, check, forget } = useProblems(useAction());
  const change = (values: FormData) => {
    if (!check(values)) return undefined;
    return action.run(async () => {
      const { url, ...fields } = webhookOf(values, types);
      // An address that is shown in part is sent only when it was changed.
      const request = { webhook_id: item.id, ...fields, ...(url !== item.url && { url }) };
      const { webhook } = await api.webhooks.change.mutate(request);
      await onChanged();
      onClose();
      notify(
        <>
          <bdi>{nameOf(webhook)}</bdi> is changed.
        </>,
      );
    });
  };
  return (
    <DialogForm
      title={
        <>
          Edit <bdi>{nameOf(item)}</bdi>
        </>
      }
      label="Save"
      draft={`webhook-${item.id}`}
      action={action}
      onSubmit={change}
      onInput={forget}
      onClose={onClose}
    >
      <WebhookFields types={types} problems={problems} item={item} />
    </DialogForm>
  );
}
