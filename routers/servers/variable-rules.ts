/**
 * Reads the rules that a panel has for a variable (Laravel's validation rules), and checks values against them. The panel checks
 * every value again, so a rule that is not understood adds nothing, and a doubtful value is allowed.
 */
import { mayMatch, readPattern } from './php-pattern.ts';

export const variableKinds = ['text', 'integer', 'number', 'boolean', 'choice'] as const;

interface Bounds {
  min: number | null;
  max: number | null;
}

interface Form {
  expression: RegExp;
  characters: string;
}

export interface VariableRules extends Bounds {
  kind: (typeof variableKinds)[number];
  options: string[] | null;
  pattern: string | null;
  isRequired: boolean;
  forms: readonly Form[];
}

interface Addition {
  isRequired?: true;
  kind?: (typeof typedKinds)[number];
  options?: string[];
  size?: Bounds;
  /** How many digits a text may have; ignored if another rule makes it a number. */
  textLength?: Bounds;
  form?: Form;
  pattern?: string | null;
}

/** A variable that has rules for several of these is of the first. */
const typedKinds = ['boolean', 'integer', 'number'] as const;

const rulesLengthMax = 5_000;
const listedOptionsLengthMax = 500;

/** As FILTER_VALIDATE_INT of PHP, except that the panel judges what is too large for it. */
const integerText = /^[+-]?(0|[1-9]\d*)$/;
/** As is_numeric of PHP. */
const numericText = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i;

const digits: Form = { expression: /^\d+$/, characters: 'digits' };
const letters: Form = { expression: /^[\p{L}\p{M}]+$/u, characters: 'letters' };
const lettersAndNumbers: Form = { expression: /^[\p{L}\p{M}\p{N}]+$/u, characters: 'letters and numbers' };
const wordCharacters: Form = {
  expression: /^[\p{L}\p{M}\p{N}_-]+$/u,
  characters: 'letters, numbers, hyphens and underscores',
};

const additions = new Map<string, (...parameters: string[]) => Addition>([
  ['required', () => ({ isRequired: true })],
  ['bool', () => ({ kind: 'boolean' })],
  ['boolean', () => ({ kind: 'boolean' })],
  ['int', () => ({ kind: 'integer' })],
  ['integer', () => ({ kind: 'integer' })],
  ['numeric', () => ({ kind: 'number' })],
  ['decimal', () => ({ kind: 'number' })],
  ['in', readOptions],
  ['min', (min) => ({ size: readBounds(min, '') })],
  ['max', (max) => ({ size: readBounds('', max) })],
  ['size', (size) => ({ size: readBounds(size, size) })],
  ['between', (min, max) => ({ size: readBounds(min, max) })],
  ['digits', (count) => ({ form: digits, textLength: readBounds(count, count) })],
  ['digitsbetween', (min, max) => ({ form: digits, textLength: readBounds(min, max) })],
  ['alpha', () => ({ form: letters })],
  ['alphanum', () => ({ form: lettersAndNumbers })],
  ['alphadash', () => ({ form: wordCharacters })],
]);

export function readVariableRules(text: string): VariableRules {
  const rules = text.length > rulesLengthMax ? [] : text.split('|').map(readRule);
  const kind = typedKinds.find((typed) => rules.some((rule) => rule.kind === typed)) ?? 'text';
  const options = rules.find((rule) => rule.options)?.options ?? null;
  const sizes = rules.flatMap((rule) => rule.size ?? (kind === 'text' ? rule.textLength : null) ?? []);
  return {
    kind: options && kind !== 'boolean' ? 'choice' : kind,
    options,
    ...intersect(kind === 'boolean' || options ? [] : sizes),
    pattern: rules.find((rule) => rule.pattern)?.pattern ?? null,
    isRequired: rules.some((rule) => rule.isRequired),
    forms: rules.flatMap((rule) => rule.form ?? []),
  };
}

/** Laravel ignores the case of a rule's name, and whether its words are joined by an underscore. */
function readRule(rule: string): Addition {
  const [, name = '', parameters = ''] = /^([^:]*):?(.*)$/s.exec(rule) ?? [];
  const known = name.toLowerCase().replace(/[\s_-]/g, '');
  if (known === 'regex') return { pattern: readPattern(parameters) };
  return additions.get(known)?.(...readList(parameters)) ?? {};
}

/** As PHP's str_getcsv: a value in quotes may have commas, and quotes in pairs. */
const readList = (text: string) =>
  [...`,${text}`.matchAll(/,(?:[ \t]*"((?:[^"\\]|\\.|"")*)"?([^,]*)|([^,]*))/gs)].map(
    ([, quoted, rest, plain]) => plain ?? `${quoted?.replaceAll('""', '"')}${rest}`,
  );

/** Panels trim a value, so an option with white space at its end is only met where both count as numbers. */
function readOptions(...listed: string[]): Addition {
  const options = listed
    .map((option) => (numericText.test(option) ? option.trim() : option))
    .filter((option) => option === option.trim());
  return options.some(Boolean) ? { options: [...new Set(options)] } : {};
}

function readBounds(min = '', max = ''): Bounds {
  const read = (text: string) =>
    numericText.test(text) && Number.isFinite(Number(text)) ? Number(text) : null;
  return { min: read(min), max: read(max) };
}

function intersect(bounds: readonly Bounds[]): Bounds {
  const mins = bounds.flatMap(({ min }) => min ?? []);
  const maxes = bounds.flatMap(({ max }) => max ?? []);
  return {
    min: mins.length > 0 ? Math.max(...mins) : null,
    max: maxes.length > 0 ? Math.min(...maxes) : null,
  };
}

/** Such as "must be at most 20 characters"; null: the panel decides about what these rules do not cover. */
export function findValueProblem(value: string, rules: VariableRules): string | null {
  if (value === '') return rules.isRequired ? 'must not be empty' : null;
  return findKindProblem(value, rules) ?? findSizeProblem(value, rules) ?? findFormProblem(value, rules);
}

function findKindProblem(value: string, { kind, options }: VariableRules): string | null {
  if (options) return options.some((option) => isSame(value, option)) ? null : demandOneOf(options);
  if (kind === 'boolean') return value === '0' || value === '1' ? null : 'must be 0 or 1';
  if (kind === 'integer') return integerText.test(value) ? null : 'must be an integer';
  if (kind === 'number') return numericText.test(value) ? null : 'must be a number';
  return null;
}

/** As `==` of PHP, for which 1 and 01 are the same. */
const isSame = (value: string, option: string) =>
  value === option ||
  (numericText.test(value) && numericText.test(option) && Number(value) === Number(option));

function demandOneOf(options: readonly string[]): string {
  const list = options.join(', ');
  return `must be one of ${list.length > listedOptionsLengthMax ? 'its options' : list}`;
}

function findSizeProblem(value: string, { kind, min, max }: VariableRules): string | null {
  const size = kind === 'text' ? [...value].length : Number(value);
  const describe = (bound: number) =>
    kind === 'text' ? `${bound} ${bound === 1 ? 'character' : 'characters'}` : `${bound}`;
  if (min !== null && size < min) return `must be at least ${describe(min)}`;
  return max !== null && size > max ? `must be at most ${describe(max)}` : null;
}

function findFormProblem(value: string, { forms, pattern }: VariableRules): string | null {
  const form = forms.find(({ expression }) => !expression.test(value));
  if (form) return `must have only ${form.characters}`;
  return pattern === null || mayMatch(value, pattern) ? null : `must match ${pattern}`;
}
