/** Chooses scopes by a preset for what most programs do. The single scopes are folded away below the presets. */
import { useRef, useState } from 'preact/hooks';
import type { Scope } from './api.ts';
import { Choices, ProblemsContext } from './field.tsx';

export interface DescribedScope {
  scope: Scope;
  sentence: string;
}

interface Preset {
  name: string;
  sentence: string;
  scopes: readonly Scope[];
}

/** These reveal no file and no backup. */
const reading: readonly Scope[] = ['read:catalog', 'read:account', 'read:console'];

const presets: readonly Preset[] = [
  {
    name: 'Read only',
    sentence: 'Sees servers, tickets and consoles, but no files.',
    scopes: reading,
  },
  {
    name: 'Bot that restarts',
    sentence: 'Sees your servers, and starts, stops and restarts them.',
    scopes: ['read:account', 'write:servers'],
  },
  {
    name: 'Backup script',
    sentence: 'Creates, downloads, restores and deletes backups.',
    scopes: ['read:account', 'write:backups', 'read:backups', 'manage:backups'],
  },
  {
    name: 'Agent',
    sentence: 'Sees, restarts, backs up and asks support. Deletes nothing.',
    scopes: [...reading, 'write:tickets', 'write:servers', 'write:backups'],
  },
];

/**
 * All that an app requests, and the presets within that. A preset is left out if it grants nothing or the same, or if the
 * app requests only a part of what its sentence says.
 */
export function presetsWithin(requested: readonly Scope[]): Preset[] {
  const isRequested = (scope: Scope) => requested.includes(scope);
  const narrowed = presets
    .filter(({ scopes }) => scopes.every((scope) => reading.includes(scope) || isRequested(scope)))
    .map((preset) => ({ ...preset, scopes: preset.scopes.filter(isRequested) }))
    .filter(({ scopes }) => scopes.length > 0 && scopes.length < requested.length);
  return [{ name: 'As requested', sentence: 'All that the app asks for.', scopes: requested }, ...narrowed];
}

export interface ScopeFieldProps {
  name: string;
  legend: string;
  /** The scopes that can be chosen, one by one. */
  scopes: readonly DescribedScope[];
  /** Further ones, below those. */
  others?: { legend: string; scopes: readonly DescribedScope[] };
  /** The scopes chosen at first. Those that cannot be chosen are left out. */
  preset?: readonly string[];
  presets?: readonly Preset[];
  /** Whether the single scopes are shown at first, even if a preset has the same. */
  isOpen?: boolean;
  missing?: string;
  onChoose?: (scopes: Scope[]) => void;
}

const custom = 'Custom';

/** A problem is shown once, at the presets. */
const noProblems = {};

export function ScopeField({
  name,
  legend,
  scopes,
  others,
  missing,
  preset = [],
  ...props
}: ScopeFieldProps) {
  const [first] = useState(scopes.map(({ scope }) => scope).filter((scope) => preset.includes(scope)));
  const { offered, chosen, current, isOpen, setOpen, ...container } = useChoice(first, props);
  return (
    <div {...container} class="scopes">
      <Choices
        {...{ name, legend, missing }}
        type="radio"
        isShortcut
        choices={[...offered, { name: custom, sentence: 'Single scopes, chosen below.' }].map(cardOf)}
        chosen={[current]}
      />
      <details class="restrictions" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          Choose single scopes <span class="note">· {chosen.length} chosen</span>
        </summary>
        <ProblemsContext.Provider value={noProblems}>
          <Choices name={name} legend="Single scopes" choices={scopes.map(choiceOf)} preset={first} />
          {others && others.scopes.length > 0 && (
            <Choices legend={others.legend} name={`other_${name}`} choices={others.scopes.map(choiceOf)} />
          )}
        </ProblemsContext.Provider>
      </details>
    </div>
  );
}

type ChoiceProps = Pick<ScopeFieldProps, 'presets' | 'isOpen' | 'onChoose'>;

/** The checkboxes hold what is chosen, so that a form reads it and keeps it in its draft. */
function useChoice(first: Scope[], { presets: offered = presets, ...props }: ChoiceProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(first);
  const [isCustom, setCustom] = useState(false);
  const same = isCustom ? undefined : offered.find((each) => isSame(each.scopes, chosen));
  const current = same?.name ?? (isCustom || chosen.length > 0 ? custom : undefined);
  const [isOpen, setOpen] = useState(props.isOpen || current === custom);
  const onPick = ({ target }: Event) => {
    const boxes = [...(ref.current?.querySelectorAll('[type=checkbox]' as 'input') ?? [])];
    if (target instanceof HTMLInputElement && (target.type !== 'radio' || target.checked)) {
      const picked = offered.find(({ name }) => name === target.value);
      for (const box of picked ? boxes : [])
        box.checked = picked?.scopes.some((scope) => scope === box.value) ?? false;
      setCustom(target.value === custom);
      if (target.value === custom) setOpen(true);
    }
    const ticked = boxes.filter(({ checked }) => checked).map(({ value }) => value as Scope); // our own values
    setChosen(ticked);
    props.onChoose?.(ticked);
  };
  // A restored draft fires only `change`. On `input`, the form renders before `change`.
  return { ref, offered, chosen, current, isOpen, setOpen, onInput: onPick, onChange: onPick };
}

const isSame = (some: readonly Scope[], others: readonly Scope[]) =>
  some.length === others.length && some.every((scope) => others.includes(scope));

const cardOf = ({ name, sentence }: Pick<Preset, 'name' | 'sentence'>) => ({
  value: name,
  content: (
    <>
      <strong>{name}</strong>
      <span class="note">{sentence}</span>
    </>
  ),
});

const choiceOf = ({ scope, sentence }: DescribedScope) => ({
  value: scope,
  content: (
    <>
      <code>{scope}</code>
      <span class="note">{sentence}</span>
    </>
  ),
});
