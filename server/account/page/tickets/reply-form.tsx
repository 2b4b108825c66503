/** Replies to a ticket; staff may close it with the answer. */
import { useState } from 'preact/hooks';
import type { Ticket } from '../api.ts';
import { focus } from '../focus.ts';
import { Form, textOf } from '../form.tsx';
import { useAction, useShell } from '../shell.ts';
import type { Desk } from './desk.ts';
import { MessageField, messageProblemOf } from './message-field.tsx';

interface Props {
  desk: Desk;
  ticket: Ticket;
  onSent(): Promise<unknown>;
}

export function ReplyForm({ desk, ticket, onSent }: Props) {
  const { notify } = useShell();
  const action = useAction();
  const isStaff = desk.side === 'staff';
  const [problem, setProblem] = useState<string>();
  const send = (values: FormData, form: HTMLFormElement) => {
    const found = messageProblemOf(values);
    setProblem(found);
    if (found) return undefined;
    return action.run(async () => {
      await desk.reply(ticket.id, textOf(values, 'message'), values.has('close'));
      form.reset();
      focus(form.querySelector('textarea'));
      if (!isStaff) notify('Reply sent');
      await onSent();
    });
  };
  return (
    <Form
      label={isStaff ? 'Send answer' : 'Send reply'}
      draft={`reply:${desk.side}:${ticket.id}`}
      action={action}
      onSubmit={send}
      onInput={() => setProblem(undefined)}
    >
      <MessageField label={isStaff ? 'Your answer' : 'Your reply'} error={problem} />
      {isStaff && (
        <label class="check">
          <input type="checkbox" name="close" />
          Close the ticket with this answer
        </label>
      )}
    </Form>
  );
}
