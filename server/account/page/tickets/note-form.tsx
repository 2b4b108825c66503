/** Writes a note on a ticket that no customer sees. */
import { focus } from '../focus.ts';
import { Form, textOf, trimmedOf } from '../form.tsx';
import type { StaffDesk } from './desk.ts';
import { MessageField } from './message-field.tsx';

interface Props {
  desk: StaffDesk;
  ticketId: number;
  onAdded(): Promise<unknown>;
}

export function NoteForm({ desk, ticketId, onAdded }: Props) {
  const check = (values: FormData) => ({
    message: trimmedOf(values, 'message') === '' ? 'Write a note.' : undefined,
  });
  const add = async (values: FormData, form: HTMLFormElement) => {
    await desk.addNote(ticketId, textOf(values, 'message'));
    form.reset();
    focus(form.querySelector('textarea'));
    await onAdded();
  };
  return (
    <Form label="Add note" draft={`note:${ticketId}`} check={check} send={add}>
      {({ message }) => (
        <MessageField label="Note for colleagues; the customer never sees it" isNote error={message} />
      )}
    </Form>
  );
}
