/** The tasks of a schedule, in words and as fields of its form. */
import { useRef, useState } from 'preact/hooks';
import type { Task, TaskRequest } from '../api.ts';
import { ActionButton } from '../controls.tsx';
import { SelectField } from '../field.tsx';
import { type Fields, FormFields, textOf } from '../fields.tsx';
import { useFocusInside } from '../focus.ts';
import { useShell } from '../shell.ts';

/** The kinds that the form offers; a panel may have others. */
const kinds = [
  { value: 'backup', label: 'Create a backup', action: 'backup', signal: null },
  { value: 'restart', label: 'Restart the server', action: 'power', signal: 'restart' },
  { value: 'start', label: 'Start the server', action: 'power', signal: 'start' },
  { value: 'stop', label: 'Stop the server', action: 'power', signal: 'stop' },
  { value: 'command', label: 'Send a command', action: 'command', signal: null },
] as const;

const kindOf = ({ action, signal = null }: Pick<Task | TaskRequest, 'action' | 'signal'>) =>
  kinds.find((kind) => kind.action === action && kind.signal === signal);

export const backupTask: TaskRequest = { action: 'backup' };

/** The tasks as the form edits them; null if the form does not offer the kind of every task. */
export function offeredTasks(tasks: readonly Task[]): TaskRequest[] | null {
  const offered = tasks.flatMap((task) => {
    const kind = kindOf(task);
    return kind ? [{ ...task, action: kind.action, signal: kind.signal }] : [];
  });
  return offered.length === tasks.length ? offered : null;
}

export const backupRotation =
  'If the server has reached its limit of backups, each run deletes the oldest one that is not locked.';

export const Tasks = ({ of: tasks, label }: { of: readonly Task[]; label: string }) => (
  <ol class="attempts note" aria-label={label}>
    {tasks.map((task, index) => (
      <li key={index} dir="auto">
        {taskWords(task)}
      </li>
    ))}
  </ol>
);

/** "Send a command: say Good night, after 60 s" */
function taskWords(task: Task): string {
  const { signal, command, delay_seconds } = task;
  const words =
    kindOf(task)?.label ?? (signal ? `Send the signal ${signal}` : 'A task that only the panel shows');
  return (
    words + (command === null ? '' : `: ${command}`) + (delay_seconds ? `, after ${delay_seconds} s` : '')
  );
}

export const tasksIn = (values: FormData): TaskRequest[] =>
  [...values.keys()].filter((name) => name.endsWith('.kind')).map((name) => taskIn(values, name));

function taskIn(values: FormData, name: string): TaskRequest {
  const { action, signal } = kinds.find(({ value }) => value === textOf(values, name)) ?? kinds[0];
  const get = (field: string) => values.get(name.replace(/kind$/, field))?.toString();
  return {
    ...{ action, signal },
    command: get('command'),
    ignored_files: get('ignored_files'),
    delay_seconds: Number(get('delay_seconds')),
    continue_on_failure: get('continue_on_failure') !== undefined,
  };
}

const tasksMax = 10;

export function TaskFields({ tasks }: { tasks: readonly TaskRequest[] }) {
  const [rows, setRows] = useState(() => tasks.map((task, id) => ({ id, task })));
  const nextId = useRef(rows.length);
  const list = useRef<HTMLDivElement>(null);
  // The focus is lost when a task moves, and when its button disappears: "Move up" on the first task, "Add a task" after the tenth.
  const focused = document.activeElement;
  const field = focused?.closest('fieldset')?.querySelector('.input');
  useFocusInside(list, () =>
    [
      focused,
      field,
      ...(list.current?.querySelectorAll(':scope > button, fieldset:last-child .input') ?? []),
    ].find((each) => each?.isConnected),
  );
  const add = () => setRows([...rows, { id: nextId.current++, task: backupTask }]);
  const remove = (index: number) => setRows(rows.toSpliced(index, 1));
  const moveUp = (index: number) =>
    setRows(rows.toSpliced(index - 1, 2, ...rows.slice(index - 1, index + 1).reverse()));
  return (
    <div ref={list} class="stack">
      {rows.map(({ id, task }, index) => (
        <fieldset key={id} class="task stack">
          <legend>Task {index + 1}</legend>
          <OneTask path={`tasks.${index}.`} task={task} />
          {rows.length > 1 && (
            <TaskActions index={index} onMove={() => moveUp(index)} onRemove={() => remove(index)} />
          )}
        </fieldset>
      ))}
      {rows.length < tasksMax && (
        <button type="button" class="button is-small" onClick={add}>
          Add a task
        </button>
      )}
    </div>
  );
}

type ActionsProps = { index: number; onMove(): void; onRemove(): void };

function TaskActions({ index, onMove, onRemove }: ActionsProps) {
  const about = `task ${index + 1}`;
  return (
    <div class="actions">
      {index > 0 && <ActionButton label="Move up" about={about} onAct={onMove} />}
      <ActionButton label="Remove" about={about} isDangerous onAct={onRemove} />
    </div>
  );
}

type TaskProps = { path: string; task: TaskRequest };

function OneTask({ path, task }: TaskProps) {
  const { settings } = useShell();
  const [kind, setKind] = useState<string>(kindOf(task)?.value ?? kinds[0].value);
  const isOffered = ({ value }: (typeof kinds)[number]) =>
    value !== 'command' || value === kind || settings.console_commands;
  return (
    <>
      <div class="tiles">
        <SelectField
          name={`${path}kind`}
          label="Action"
          value={kind}
          options={kinds.filter(isOffered)}
          onChoose={setKind}
        />
        <FormFields of={[delayField]} values={task} within={path} />
      </div>
      <FormFields of={payloads[kind] ?? []} values={task} within={path} />
      <FormFields of={[continueField]} values={task} within={path} />
    </>
  );
}

const delayField = {
  name: 'delay_seconds',
  label: 'Wait first, in seconds',
  type: 'number',
  preset: '0',
} as const;

const continueField = { name: 'continue_on_failure', box: 'Continue with the next task if this one fails' };

const payloads: Partial<Record<string, Fields>> = {
  command: [
    {
      name: 'command',
      label: 'Command',
      missing: 'Type a command.',
      autocapitalize: 'none',
      spellcheck: false,
    },
  ],
  backup: [
    <p key="rotation" class="note">
      {backupRotation}
    </p>,
    {
      name: 'ignored_files',
      label: 'Files to leave out',
      hint: 'One per line. Optional.',
      rows: 2,
      spellcheck: false,
    },
  ],
};
