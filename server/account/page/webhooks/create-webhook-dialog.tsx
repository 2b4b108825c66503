/** Creates a webhook: address, format, events and name. */
import type { WebhookSecret, WebhookTypes } from '../api.ts';
import { DialogForm } from '../dialog.tsx';
import { useAction, useShell } from '../shell.ts';
import { formatOf, useProblems, WebhookFields, webhookOf } from './webhook-fields.tsx';

interface Props {
  types: WebhookTypes;
  onClose(): void;
  onCreated(shown: WebhookSecret): Promise<unknown>;
}

export function CreateWebhookDialog({ types, onClose, onCreated }: Props) {
  const { api } = useShell();
  const { problems, action, check, forget } = useProblems(useAction());
  const create = (values: FormData) => {
    if (!check(values)) return undefined;
    return action.run(async () => {
      const request = { ...webhookOf(values, types), format: formatOf(values) };
      await onCreated(await api.webhooks.create.mutate(request));
    });
  };
  return (
    <DialogForm
      title="Create a webhook"
      label="Create webhook"
      draft="webhook"
      action={action}
      onSubmit={create}
      onInput={forget}
      onClose={onClose}
    >
      <WebhookFields types={types} problems={problems} />
    </DialogForm>
  );
}
