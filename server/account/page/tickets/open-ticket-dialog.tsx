/** Opens a ticket and goes to its conversation. */
import { DialogForm } from '../dialog.tsx';
import { Field } from '../field.tsx';
import { textOf } from '../form.tsx';
import { useAction, useShell } from '../shell.ts';
import { MessageField } from './message-field.tsx';

export function OpenTicketDialog({ onClose }: { onClose: () => void }) {
  const { api } = useShell();
  const action = useAction();
  const open = (values: FormData) =>
    action.run(async () => {
      const request = { title: textOf(values, 'title'), message: textOf(values, 'message') };
      const { ticket } = await api.conversations.create.mutate(request);
      location.hash = `#tickets/${ticket.id}`;
    });
  return (
    <DialogForm title="Open a ticket" label="Open ticket" action={action} onSubmit={open} onClose={onClose}>
      <Field label="Subject">
        {(inputProps) => <input {...inputProps} name="title" maxLength={200} autocomplete="off" autofocus />}
      </Field>
      <MessageField label="Message" />
    </DialogForm>
  );
}
