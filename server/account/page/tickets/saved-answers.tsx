/** Answers saved by the staff: start from one, delete one, or save the current text. */
import { useRef } from 'preact/hooks';
import type { Api, SavedAnswer } from '../api.ts';
import { Dialog, useDialog } from '../dialog.tsx';
import { focus } from '../focus.ts';
import { FailureNotice, Form } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { useShell } from '../shell.ts';
import { useQuery } from '../use-query.ts';

/** Placed above the form, as a form cannot contain another. */
export function SavedAnswers() {
  const button = useRef<HTMLButtonElement>(null);
  const { dialog, show } = useDialog();
  const findField = () => button.current?.closest('.answer-area')?.querySelector('textarea');
  const insert = (text: string) => {
    const field = findField();
    show(null);
    if (!field) return;
    field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    // Runs after the dialog has closed, which returns the focus to the button.
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

function SavedAnswersDialog({ written, onUse }: { written: string; onUse(text: string): void }) {
  const query = useQuery(readAnswers);
  const { content: answers, failure } = query;
  const remove = (id: string) =>
    query.load(async (api) => {
      await api.answers.delete.mutate({ id });
      return readAnswers(api);
    });
  return (
    <Dialog title="Saved answers" isWide>
      <FailureNotice of={query} />
      {answers === null && !failure && <p class="note">Loading</p>}
      {answers?.length === 0 && (
        <p class="note">None yet. Write an answer, open this again, and save it for all colleagues.</p>
      )}
      {answers && answers.length > 0 && (
        <ul class="panel" aria-label="Saved answers">
          {answers.map((answer) => (
            <Answer key={answer.id} answer={answer} onUse={onUse} onRemove={remove} />
          ))}
        </ul>
      )}
      {written && <SaveForm written={written} onSaved={query.refresh} />}
    </Dialog>
  );
}

const readAnswers = async (api: Api) => (await api.answers.list.query()).answers;

type AnswerProps = { answer: SavedAnswer; onUse(text: string): void; onRemove(id: string): void };

const Answer = ({ answer: { id, title, text }, onUse, onRemove }: AnswerProps) => (
  <li class="item is-line">
    <button type="button" class="saved-answer" onClick={() => onUse(text)}>
      <strong dir="auto">{title}</strong>
      <span class="note is-cut" dir="auto">
        {text}
      </span>
    </button>
    <button type="button" class="icon-button" aria-label={`Delete ${title}`} onClick={() => onRemove(id)}>
      <Icon name="trash" />
    </button>
  </li>
);

function SaveForm({ written, onSaved }: { written: string; onSaved(): Promise<unknown> }) {
  const { api, notify } = useShell();
  return (
    <Form
      label="Save answer"
      request="answers.save"
      fields={[titleField]}
      send={async (given, { form }) => {
        await api.answers.save.mutate({ ...given, text: written });
        form.reset();
        notify('Answer saved');
        await onSaved();
      }}
    />
  );
}

const titleField = {
  name: 'title',
  label: 'Save what you have written as',
  hint: 'All colleagues can use and delete it.',
  missing: 'Give it a title.',
} as const;
