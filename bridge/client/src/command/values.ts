/** Reads a value from an argument by its schema. */
import { InvalidArgumentError } from 'commander';
import type { Description, Schema } from '../operations.ts';

export type Schemas = Description['components']['schemas'];

export interface Value {
  /** Stands for the value in the help. */
  placeholder: string;
  /** For the help, such as the choices. */
  remarks: string[];
  /**
   * Adds to `before`, the value so far, if the field may be given repeatedly.
   * @throws {InvalidArgumentError}
   */
  read: (text: string, before?: unknown) => unknown;
}

/** The placeholder of a boolean, whose option may stand alone for true. */
export const switchPlaceholder = 'true|false';

/** The schemas without references of which a value satisfies one. */
export function alternativesOf(schema: Schema, schemas: Schemas, depth = 0): Schema[] {
  const { $ref, anyOf, ...own } = schema;
  const parts = anyOf ?? ($ref === undefined ? [] : [schemas[$ref.replace(/^.*\//, '')] ?? {}]);
  if (parts.length === 0 || depth === depthMax) return [own];
  return parts.flatMap((part) =>
    alternativesOf(part, schemas, depth + 1).map((alternative) => ({ ...alternative, ...own })),
  );
}

/** Ends a description that refers to itself. */
const depthMax = 5;

export function describeValue(schema: Schema, schemas: Schemas): Value {
  const alternatives = alternativesOf(schema, schemas);
  const typesOf = ({ type = [] }: Schema) => [type].flat();
  const main = alternatives.find(({ type }) => type !== 'null') ?? {};
  const value = describeNonNull(
    main,
    typesOf(main).find((type) => type !== 'null'),
    schemas,
  );
  if (!alternatives.some((alternative) => typesOf(alternative).includes('null'))) return value;
  return {
    ...value,
    remarks: [...value.remarks, 'or null'],
    read: (text, before) => (text === 'null' ? null : value.read(text, before)),
  };
}

function describeNonNull(schema: Schema, type: string | undefined, schemas: Schemas): Value {
  const { items = {}, additionalProperties: entries, properties } = schema;
  if (type === 'array') return listOf(describeValue(items, schemas));
  if (type === 'object' && typeof entries === 'object' && !properties)
    return mapOf(describeValue(entries, schemas));
  if (type === 'object') return { placeholder: 'JSON', remarks: [], read: readJson };
  if (type === 'integer' || type === 'number')
    return { placeholder: type, remarks: [], read: readNumber(type) };
  if (type === 'boolean')
    return { placeholder: switchPlaceholder, remarks: [], read: readChoice([true, false]) };
  const { enum: choices, 'x-extensible-enum': known } = schema;
  return {
    placeholder: 'text',
    remarks: [
      ...(choices ? [`one of ${choices.join(', ')}`] : []),
      ...(known ? [`such as ${known.join(', ')}`] : []),
    ],
    read: choices ? readChoice(choices) : (text) => text,
  };
}

const listOf = ({ placeholder, remarks, read }: Value): Value => ({
  placeholder,
  remarks: [...remarks, 'repeat it for more'],
  read: (text, before) => [...(Array.isArray(before) ? before : []), read(text)],
});

const mapOf = ({ remarks, read }: Value): Value => ({
  placeholder: 'NAME=VALUE',
  remarks: [...remarks, 'repeat it for more'],
  read: (text, before) => {
    const [name = '', ...rest] = text.split('=');
    if (rest.length === 0) throw new InvalidArgumentError('Write NAME=VALUE.');
    return { ...(typeof before === 'object' && before), [name]: read(rest.join('=')) };
  },
});

const readNumber = (type: 'integer' | 'number') => (text: string) => {
  const isRight = type === 'integer' ? Number.isSafeInteger : Number.isFinite;
  if (!isRight(Number(text)) || text.trim() === '')
    throw new InvalidArgumentError(`Give ${type === 'integer' ? 'an' : 'a'} ${type}.`);
  return Number(text);
};

const readChoice = (choices: readonly unknown[]) => (text: string) => {
  const chosen = choices.find((choice) => String(choice) === text);
  if (chosen === undefined) throw new InvalidArgumentError(`Choose from ${choices.join(', ')}.`);
  return chosen;
};

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Write JSON.');
  }
}
