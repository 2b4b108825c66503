/** Below a conversation: the reply form with the ticket's status beside it, and for staff also the form for notes. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { codeOf, type Message, type TicketPage } from '../api.ts';
import { Segments } from '../controls.tsx';
import { keepText, trimmedOf } from '../fields.tsx';
import { focus, useFocusInside } from '../focus.ts';
import { FailureNotice, Form } from '../form.tsx';
import { type Action, useShell } from '../shell.ts';
import { useFormValues } from '../use-form-values.ts';
import { Warning } from '../view.tsx';
import { type Desk, isOpen, type Reply } from './desk.ts';
import { SavedAnswers } from './saved-answers.tsx';

interface Props {
  desk: Desk;
  page: TicketPage;
  sentCount: number;
  onChange(): Promise<unknown>;
  onSent(): Promise<unknown>;
  /** Closes or reopens the ticket. */
  action: Action;
  onSetOpen(willBeOpen: boolean): void;
}

export function AnswerArea({ sentCount, ...props }: Props) {
  const { desk, page, onChange, action } = props;
  const [mode, setMode] = useState<(typeof modes)[number]['name']>('answer');
  const writing = useWriting(desk, page, sentCount);
  const area = useRef<HTMLDivElement>(null);
  useFocusInside(area, () => area.current?.querySelector('.status-button'));
  const isReply = mode === 'answer' && writing.isPossible;
  return (
    <div ref={area} class="answer-area stack">
      {desk.isStaff && (
        <div class="actions answer-bar">
          <Segments
            label="What you write"
            segments={modes}
            chosen={mode}
            onChoose={(name) => setMode(name)}
          />
          {isReply && <SavedAnswers />}
        </div>
      )}
      {mode === 'answer' && writing.warning && <Warning role="status">{writing.warning}</Warning>}
      <FailureNotice of={action} />
      {isReply && <ReplyForm {...{ writing, ...props }} />}
      {mode === 'note' && (
        <NoteForm ticketId={page.ticket.id} onAdded={onChange} more={<StatusButton {...props} />} />
      )}
      {mode === 'answer' && !isReply && (
        <p class="form-actions">
          <span class="note">This ticket is {page.ticket.status.toLowerCase()}.</span>
          <StatusButton {...props} />
        </p>
      )}
    </div>
  );
}

type StatusProps = Pick<Props, 'desk' | 'page' | 'action' | 'onSetOpen'> & { canSend?: boolean };

/** @param canSend with a text in the form, staff send it and close the ticket in one step */
function StatusButton({ desk, page: { ticket }, action, onSetOpen, canSend = false }: StatusProps) {
  const button = useRef<HTMLButtonElement>(null);
  const values = useFormValues(button);
  if (ticket.status === 'Archived') return null;
  const willBeOpen = !isOpen(ticket);
  const sends =
    canSend && desk.isStaff && !willBeOpen && values !== null && trimmedOf(values, 'message') !== '';
  const change = () => {
    if (!sends && !action.isBusy) onSetOpen(willBeOpen);
  };
  return (
    <button
      ref={button}
      type={sends ? 'submit' : 'button'}
      name="close"
      class="button status-button"
      aria-disabled={action.isBusy}
      onClick={change}
    >
      {sends ? 'Send and close' : willBeOpen ? 'Reopen ticket' : 'Close ticket'}
    </button>
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
    <Form
      label={isStaff ? 'Send answer' : 'Send reply'}
      draft={`reply:${side}:${props.page.ticket.id}`}
      request={isStaff ? 'admin.answerTicket' : 'tickets.reply'}
      fields={[{ name: 'message', label: isStaff ? 'Your answer' : 'Your reply', ...messageField }]}
      send={useSend(props)}
      onInput={props.writing.begin}
      more={<StatusButton {...props} canSend />}
    />
  );
}

function useSend({ desk, page: { ticket, messages }, writing, onChange, onSent }: ReplyProps) {
  const { lost, end } = writing;
  const { notify } = useShell();
  return async (
    { message }: Pick<Reply, 'message'>,
    { values, form }: { values: FormData; form: HTMLFormElement },
  ) => {
    const written = { message, close: values.has('close') };
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

type NoteProps = { ticketId: number; onAdded(): Promise<unknown>; more: ComponentChildren };

function NoteForm({ ticketId, onAdded, more }: NoteProps) {
  const { api } = useShell();
  return (
    <Form
      label="Add note"
      draft={`note:${ticketId}`}
      request="admin.noteTicket"
      fields={[noteField]}
      more={more}
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
