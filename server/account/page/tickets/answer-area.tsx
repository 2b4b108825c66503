/** Below a conversation: the reply form, and for staff also the form for notes. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { codeOf, type Message, type TicketPage } from '../api.ts';
import { Segments } from '../controls.tsx';
import { keepText } from '../fields.tsx';
import { focus } from '../focus.ts';
import { Form } from '../form.tsx';
import { useShell } from '../shell.ts';
import { Warning } from '../view.tsx';
import { type Desk, isOpen, type Reply } from './desk.ts';
import { SavedAnswers } from './saved-answers.tsx';

interface Props {
  desk: Desk;
  page: TicketPage;
  sentCount: number;
  onChange(): Promise<unknown>;
  onSent(): Promise<unknown>;
}

export function AnswerArea({ sentCount, ...props }: Props) {
  const { desk, page, onChange } = props;
  const [mode, setMode] = useState<(typeof modes)[number]['name']>('answer');
  const writing = useWriting(desk, page, sentCount);
  return (
    <>
      {desk.isStaff && (
        <Segments label="What you write" segments={modes} chosen={mode} onChoose={(name) => setMode(name)} />
      )}
      {mode === 'note' && <NoteForm ticketId={page.ticket.id} onAdded={onChange} />}
      {mode === 'answer' && writing.warning && <Warning role="status">{writing.warning}</Warning>}
      {mode === 'answer' && writing.isPossible && <ReplyForm {...{ writing, ...props }} />}
    </>
  );
}

const modes = [
  { name: 'answer', label: 'Answer' },
  { name: 'note', label: 'Internal note' },
] as const;

/** Whether a reply can be written, and what its author should know about changes since. */
function useWriting({ isStaff }: Desk, { ticket, messages }: TicketPage, sentCount: number) {
  // Keeps a started text visible when the ticket is closed.
  const [isBegun, setBegun] = useState(false);
  /** The reply whose response was lost. It may be among the messages, so it is sent again unchanged. */
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

type ReplyProps = Omit<Props, 'sentCount'> & { writing: ReturnType<typeof useWriting> };

function ReplyForm(props: ReplyProps) {
  const { isStaff, side } = props.desk;
  return (
    <div class="reply">
      <Form
        label={isStaff ? 'Send answer' : 'Send reply'}
        draft={`reply:${side}:${props.page.ticket.id}`}
        request={isStaff ? 'admin.answerTicket' : 'tickets.reply'}
        fields={[
          { name: 'message', label: isStaff ? 'Your answer' : 'Your reply', ...messageField },
          isStaff && { name: 'close', box: 'Close the ticket with this answer' },
        ]}
        send={useSend(props)}
        onInput={props.writing.begin}
      />
      {isStaff && <SavedAnswers />}
    </div>
  );
}

function useSend({ desk, page: { ticket, messages }, writing, onChange, onSent }: ReplyProps) {
  const { lost, end } = writing;
  const { notify } = useShell();
  return async (
    { message, close = false }: Pick<Reply, 'message'> & { close?: boolean | undefined },
    { form }: { form: HTMLFormElement },
  ) => {
    const written = { message, close };
    const isAgain = lost.current?.message === written.message && lost.current.close === written.close;
    const reply = isAgain && lost.current ? lost.current : { ...written, seen: messages.at(-1)?.number ?? 1 };
    await desk.reply(ticket.id, reply).catch(async (failure) => {
      const code = codeOf(failure);
      lost.current = code === undefined ? reply : null;
      if (code === 'conflict') await onChange();
      throw failure;
    });
    lost.current = null;
    empty(form);
    if (!desk.isStaff) notify('Reply sent');
    end();
    await onSent();
  };
}

function empty(form: HTMLFormElement): void {
  form.reset();
  focus(form.querySelector('textarea'));
}

function NoteForm({ ticketId, onAdded }: { ticketId: number; onAdded(): Promise<unknown> }) {
  const { api } = useShell();
  return (
    <Form
      label="Add note"
      draft={`note:${ticketId}`}
      request="admin.noteTicket"
      fields={[noteField]}
      send={async (given, { form }) => {
        await api.admin.noteTicket.mutate({ ticket_id: ticketId, ...given });
        empty(form);
        await onAdded();
      }}
    />
  );
}

const sendByKey = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
};

/** Sends the author's white space too. */
const writtenText = { rows: 5, onKeyDown: sendByKey, read: keepText } as const;

export const messageField = {
  hint: 'Ctrl+Enter sends it.',
  missing: 'Write a message.',
  class: 'input message-input',
  ...writtenText,
} as const;

const noteField = {
  name: 'note',
  label: 'Note for colleagues; the customer never sees it',
  hint: 'Ctrl+Enter adds it.',
  missing: 'Write a note.',
  class: 'input message-input is-note',
  ...writtenText,
} as const;
