/** Creates a webhook: address, format, events and name. */
import { useState } from 'preact/hooks';
import type { WebhookSecret, WebhookTypes } from '../api.ts';
import { DialogForm } from '../dialog.tsx';
import { useAction, useShell } from '../shell.ts';
import { formatOf, type Problems, problemsOf, WebhookFields, webhookOf } from './webhook-fields.tsx';

interface Props {
  types: WebhookTypes;
  onClose(): void;
  onCreated(shown: WebhookSecret): Promise<unknown>;
}

export function CreateWebhookDialog({ types, onClose, onCreated }: Props) {
  const { api } = useShell();
  const action = useAction();
  const [problems, setProblems] = useState<Problems>({});
  const create = (values: FormData) => {
    const found = problemsOf(values);
    setProblems(found);
    if (Object.keys(found).length > 0) return undefined;
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
      onInput={() => setProblems({})}
      onClose={onClose}
    >
      <WebhookFields types={types} problems={problems} />
    </DialogForm>
  );
}
