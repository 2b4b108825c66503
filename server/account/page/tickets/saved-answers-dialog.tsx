/** Answers that the staff has saved: to begin with one, to delete one, and to save what is written. */
import { useEffect, useState } from 'preact/hooks';
import type { SavedAnswer } from '../api.ts';
import { Dialog } from '../dialog.tsx';
import { Field } from '../field.tsx';
import { Form, Problem, textOf } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { useAction, useShell } from '../shell.ts';
import type { StaffDesk } from './desk.ts';

interface Props {
  desk: StaffDesk;
  /** What is in the field for the answer. */
  written: string;
  onUse(text: string): void;
  onClose(): void;
}

export function SavedAnswersDialog({ desk, written, onUse, onClose }: Props) {
  const action = useAction();
  const [answers, setAnswers] = useState<SavedAnswer[] | null>(null);
  const load = async () => setAnswers(await desk.listAnswers());
  const remove = (id: string) =>
    action.run(async () => {
      await desk.deleteAnswer(id);
      await load();
    });
  useEffect(() => void action.run(load), []);
  return (
    <Dialog title="Saved answers" onClose={onClose} isWide>
      <div role="alert">{action.failure && <Problem text={action.failure} />}</div>
      {answers === null && !action.failure && <p class="note">Loading</p>}
      {answers?.length === 0 && (
        <p class="note">None yet. Write an answer, open this again, and save it for all colleagues.</p>
      )}
      {answers && answers.length > 0 && (
        <ul class="saved-answers" aria-label="Saved answers">
          {answers.map((answer) => (
            <Answer key={answer.id} answer={answer} onUse={onUse} onRemove={remove} />
          ))}
        </ul>
      )}
      {written && <SaveForm desk={desk} written={written} onSaved={load} />}
    </Dialog>
  );
}

interface AnswerProps {
  answer: SavedAnswer;
  onUse(text: string): void;
  onRemove(id: string): void;
}

const Answer = ({ answer: { id, title, text }, onUse, onRemove }: AnswerProps) => (
  <li class="saved-answer">
    <button type="button" class="saved-answer-use" onClick={() => onUse(text)}>
      <strong dir="auto">{title}</strong>
      <span dir="auto">{text}</span>
    </button>
    <button type="button" class="icon-button" aria-label={`Delete ${title}`} onClick={() => onRemove(id)}>
      <Icon name="trash" />
    </button>
  </li>
);

interface SaveProps extends Pick<Props, 'desk' | 'written'> {
  onSaved(): Promise<unknown>;
}

function SaveForm({ desk, written, onSaved }: SaveProps) {
  const { notify } = useShell();
  const action = useAction();
  const [problem, setProblem] = useState<string>();
  const save = (values: FormData, form: HTMLFormElement) => {
    const title = textOf(values, 'title').trim();
    setProblem(title === '' ? 'Give it a title.' : undefined);
    if (title === '') return undefined;
    return action.run(async () => {
      await desk.saveAnswer(title, written);
      form.reset();
      notify('Answer saved');
      await onSaved();
    });
  };
  return (
    <Form label="Save answer" action={action} onSubmit={save} onInput={() => setProblem(undefined)}>
      <Field
        label="Save what you have written as"
        hint="All colleagues can use and delete it."
        error={problem}
      >
        {(inputProps) => <input {...inputProps} name="title" dir="auto" maxLength={100} autocomplete="off" />}
      </Field>
    </Form>
  );
}
