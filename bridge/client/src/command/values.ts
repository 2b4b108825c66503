/** Reads a value from the text of an argument, by its schema. */
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

/** The schemas without references of which a value satisfies one. */
export function alternativesOf({ $ref, anyOf, ...own }: Schema, schemas: Schemas, depth = 0): Schema[] {
  const parts = anyOf ?? ($ref === undefined ? [] : [schemas[$ref.replace(/^.*\//, '')] ?? {}]);
  if (parts.length === 0 || depth >= depthMax) return [own];
  return parts.flatMap((part) => alternativesOf(part, schemas, depth + 1).map((one) => ({ ...one, ...own })));
}

/** Ends a description that refers to itself. */
const depthMax = 5;

export function describeValue(schema: Schema, schemas: Schemas, depth = 0): Value {
  const alternatives = alternativesOf(schema, schemas, depth);
  const types = alternatives.flatMap(({ type = [] }) => type);
  const main = alternatives.find(({ type }) => type !== 'null') ?? {};
  const type = types.find((one) => one !== 'null') ?? 'string';
  const value = describeNonNull(main, type, (inner) => describeValue(inner, schemas, depth + 1));
  if (!types.includes('null')) return value;
  const read: Value['read'] = (text, before) => (text === 'null' ? null : value.read(text, before));
  return { ...value, remarks: [...value.remarks, 'or null'], read };
}

function describeNonNull(schema: Schema, type: string, describe: (inner: Schema) => Value): Value {
  const { items = {}, additionalProperties: entries, enum: choices, 'x-extensible-enum': known } = schema;
  if (type === 'array') return listOf(describe(items));
  if (type === 'object' && typeof entries === 'object') return mapOf(describe(entries));
  if (type === 'object') return { placeholder: 'JSON', remarks: [], read: readJson(type) };
  if (type !== 'string') return { placeholder: type, remarks: [], read: readJson(type) };
  const text = { placeholder: 'text', remarks: known ? [`such as ${known.join(', ')}`] : [] };
  if (!choices) return { ...text, read: (given) => given };
  return { ...text, remarks: [`one of ${choices.join(', ')}`], read: readChoice(choices) };
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

const readChoice = (choices: readonly unknown[]) => (text: string) => {
  if (choices.includes(text)) return text;
  throw new InvalidArgumentError(`Choose from ${choices.join(', ')}.`);
};

/** Numbers, booleans and objects are written as in JSON. */
const readJson = (type: string) => (text: string) => {
  try {
    const value: unknown = JSON.parse(text);
    if (type === 'integer' ? Number.isSafeInteger(value) : typeof value === type) return value;
  } catch {}
  throw new InvalidArgumentError(`Give a value of the type ${type}, as JSON.`);
};
