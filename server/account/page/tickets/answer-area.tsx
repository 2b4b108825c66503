/** Below a conversation: the form for a reply, and for the staff next to it the one for a note. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { codeOf, type Message, type TicketPage } from '../api.ts';
import { Segments } from '../button.tsx';
import { focus } from '../focus.ts';
import { Form, textOf, trimmedOf } from '../form.tsx';
import { useShell } from '../shell.ts';
import { Warning } from '../view.tsx';
import { type Desk, isOpen, type Reply } from './desk.ts';
import { MessageField, messageProblems } from './message-field.tsx';
import { SavedAnswers } from './saved-answers.tsx';

interface Props {
  desk: Desk;
  page: TicketPage;
  /** How many replies were sent from here. */
  sentCount: number;
  /** Shows the ticket as it is now. */
  onChange(): Promise<unknown>;
  onSent(): Promise<unknown>;
}

type Mode = 'answer' | 'note';

export function AnswerArea({ desk, page, sentCount, onChange, onSent }: Props) {
  const [mode, setMode] = useState<Mode>('answer');
  const writing = useWriting(desk, page, sentCount);
  return (
    <>
      {desk.isStaff && (
        <Segments label="What you write" segments={modes} chosen={mode} onChoose={(name) => setMode(name)} />
      )}
      {mode === 'note' && <NoteForm ticketId={page.ticket.id} onAdded={onChange} />}
      {mode === 'answer' && writing.warning && <Warning role="status">{writing.warning}</Warning>}
      {mode === 'answer' && writing.isPossible && (
        <ReplyForm {...{ desk, page, writing, onChange, onSent }} />
      )}
    </>
  );
}

/** Whether a reply can be written, and what has happened meanwhile that its author should know. */
function useWriting({ isStaff }: Desk, { ticket, messages }: TicketPage, sentCount: number) {
  // What is being written stays in sight when somebody closes the ticket.
  const [isBegun, setBegun] = useState(false);
  /** The answer whose response was lost: it may be among the messages, and is sent again exactly as it was. */
  const lost = useRef<Reply | null>(null);
  const [known, setKnown] = useState(0);
  useEffect(() => setKnown(messages.at(-1)?.number ?? 0), [sentCount]);
  const isCrossing = ({ number, author, message }: Message) =>
    number > known && author === 'staff' && message !== lost.current?.message;
  const crossing = known > 0 && messages.findLast(isCrossing);
  const end = () => {
    setBegun(false);
    setKnown(Number.POSITIVE_INFINITY);
  };
  const state = { lost, begin: () => setBegun(true), end };
  if (!isOpen(ticket)) return { ...state, isPossible: isBegun, warning: isBegun && closedWarning };
  return { ...state, isPossible: true, warning: isStaff && crossing && crossingWarning(crossing.name) };
}

const closedWarning = 'This ticket was closed while you were writing. Reopen it to send your text.';

const crossingWarning = (name: string) => (
  <>
    <bdi>{name}</bdi> has answered since you opened this ticket. Read it before you send yours.
  </>
);

interface ReplyProps extends Omit<Props, 'sentCount'> {
  writing: ReturnType<typeof useWriting>;
}

/** Staff may begin with a saved answer, and close the ticket with theirs. */
function ReplyForm(props: ReplyProps) {
  const { desk, page, writing } = props;
  return (
    <div class="reply">
      <Form
        label={desk.isStaff ? 'Send answer' : 'Send reply'}
        draft={`reply:${desk.side}:${page.ticket.id}`}
        check={messageProblems}
        send={useSend(props)}
        onInput={writing.begin}
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

function useSend({ desk, page: { ticket, messages }, writing, onChange, onSent }: ReplyProps) {
  const { lost, end } = writing;
  const { notify } = useShell();
  return async (values: FormData, form: HTMLFormElement) => {
    const written = { message: textOf(values, 'message'), close: values.has('close') };
    const isAgain = lost.current?.message === written.message && lost.current.close === written.close;
    const reply = isAgain && lost.current ? lost.current : { ...written, seen: messages.at(-1)?.number ?? 1 };
    await desk.reply(ticket.id, reply).catch(async (failure) => {
      const code = codeOf(failure);
      lost.current = code === undefined ? reply : null;
      if (code === 'conflict') await onChange();
      throw failure;
    });
    lost.current = null;
    form.reset();
    focus(form.querySelector('textarea'));
    if (!desk.isStaff) notify('Reply sent');
    end();
    await onSent();
  };
}

const modes = [
  { name: 'answer', label: 'Answer' },
  { name: 'note', label: 'Internal note' },
] as const;

interface NoteProps {
  ticketId: number;
  onAdded(): Promise<unknown>;
}

/** Writes a note that no customer sees. */
function NoteForm({ ticketId, onAdded }: NoteProps) {
  const { api } = useShell();
  const check = (values: FormData) => ({
    message: trimmedOf(values, 'message') === '' ? 'Write a note.' : undefined,
  });
  const add = async (values: FormData, form: HTMLFormElement) => {
    await api.admin.noteTicket.mutate({ ticket_id: ticketId, note: textOf(values, 'message') });
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
