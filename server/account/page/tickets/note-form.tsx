/** Writes a note on a ticket that no customer sees. */
import { useState } from 'preact/hooks';
import { focus } from '../focus.ts';
import { Form, textOf } from '../form.tsx';
import { useAction } from '../shell.ts';
import type { StaffDesk } from './desk.ts';
import { MessageField, messageProblemOf } from './message-field.tsx';

interface Props {
  desk: StaffDesk;
  ticketId: number;
  onAdded(): Promise<unknown>;
}

export function NoteForm({ desk, ticketId, onAdded }: Props) {
  const action = useAction();
  const [problem, setProblem] = useState<string>();
  const add = (values: FormData, form: HTMLFormElement) => {
    const found = messageProblemOf(values, 'Write a note.');
    setProblem(found);
    if (found) return undefined;
    return action.run(async () => {
      await desk.addNote(ticketId, textOf(values, 'message'));
      form.reset();
      focus(form.querySelector('textarea'));
      await onAdded();
    });
  };
  return (
    <Form
      label="Add note"
      draft={`note:${ticketId}`}
      action={action}
      onSubmit={add}
      onInput={() => setProblem(undefined)}
    >
      <MessageField label="Note for colleagues; the customer never sees it" isNote error={problem} />
    </Form>
  );
}
