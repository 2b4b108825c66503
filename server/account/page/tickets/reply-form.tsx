/** Replies to a ticket; staff may begin with a saved answer, and close the ticket with theirs. */
import { useRef } from 'preact/hooks';
import { codeOf, type Message, type Ticket } from '../api.ts';
import { useDialog } from '../dialog.tsx';
import { focus } from '../focus.ts';
import { Form, textOf } from '../form.tsx';
import { useShell } from '../shell.ts';
import type { Desk, Reply } from './desk.ts';
import { MessageField, messageProblems } from './message-field.tsx';
import { SavedAnswersDialog } from './saved-answers-dialog.tsx';

interface Props {
  desk: Desk;
  ticket: Ticket;
  /** Those that are shown. */
  messages: Message[];
  /** Sent again exactly as it was, so that the service knows it. */
  lost: { current: Reply | null };
  onWriting(): void;
  onSent(): Promise<unknown>;
  /** There are messages that are not shown. */
  onUnseen(): Promise<unknown>;
}

export function ReplyForm(props: Props) {
  const { desk, ticket, onWriting } = props;
  return (
    <div class="reply">
      <Form
        label={desk.isStaff ? 'Send answer' : 'Send reply'}
        draft={`reply:${desk.side}:${ticket.id}`}
        check={messageProblems}
        send={useSend(props)}
        onInput={onWriting}
      >
        {({ message }) => (
          <>
            <MessageField label={desk.isStaff ? 'Your answer' : 'Your reply'} error={message} />
            {desk.isStaff && (
              <label class="check">
                <input type="checkbox" name="close" />
                Close the ticket with this answer
              </label>
            )}
          </>
        )}
      </Form>
      {desk.isStaff && <SavedAnswers />}
    </div>
  );
}

function useSend({ desk, ticket, messages, lost, onSent, onUnseen }: Props) {
  const { notify } = useShell();
  return async (values: FormData, form: HTMLFormElement) => {
    const written = { message: textOf(values, 'message'), close: values.has('close') };
    const isAgain = lost.current?.message === written.message && lost.current.close === written.close;
    const reply = isAgain && lost.current ? lost.current : { ...written, seen: messages.at(-1)?.number ?? 1 };
    await desk.reply(ticket.id, reply).catch(async (failure) => {
      const code = codeOf(failure);
      lost.current = code === undefined ? reply : null;
      if (code === 'conflict') await onUnseen();
      throw failure;
    });
    lost.current = null;
    form.reset();
    focus(form.querySelector('textarea'));
    if (!desk.isStaff) notify('Reply sent');
    await onSent();
  };
}

/** Beside the form, as a form cannot hold another. */
function SavedAnswers() {
  const button = useRef<HTMLButtonElement>(null);
  const { dialog, show } = useDialog();
  const findField = () => button.current?.closest('.reply')?.querySelector('textarea');
  const insert = (text: string) => {
    const field = findField();
    show(null);
    if (!field) return;
    field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    // When the dialog has closed, which gives the focus back to the button.
    setTimeout(() => focus(field));
  };
  const open = () => show(<SavedAnswersDialog written={findField()?.value.trim() ?? ''} onUse={insert} />);
  return (
    <>
      <button ref={button} type="button" class="button is-small" onClick={open}>
        Saved answers
      </button>
      {dialog}
    </>
  );
}
