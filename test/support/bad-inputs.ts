/** Inputs that an operation's schema must refuse, each wrong in one place, made from the schema alone. */
import { z } from 'zod';
import type { Operation } from '../../bridge/operations.ts';
import { fieldsOf, sampleInputOf } from './sample-inputs.ts';

type FieldSchema = ReturnType<typeof fieldsOf>[string];

type Input = Record<string, unknown>;

interface BadInput {
  field: string;
  /** The wrong value or the reason, such as "1.5" or "missing". */
  spoiling: string;
  input: Input;
}

export function badInputsOf(row: Operation): BadInput[] {
  const { required = [] } = z.toJSONSchema(row.input, { io: 'input' });
  const good = sampleInputOf(row);
  const isInPath = (field: string) => row.pathParameters.includes(field);
  const isInUrl = (field: string) => isInPath(field) || row.method === 'GET';
  const spoiled = Object.entries(fieldsOf(row.input)).flatMap(([field, schema]) =>
    badValues(schema)
      .filter((value) => !(isInUrl(field) && isHalf(value)))
      .map((value) => ({ field, spoiling: shown(value), input: { ...good, [field]: value } })),
  );
  const lacking = required
    .filter((field) => !isInPath(field)) // a path without its parameter is another path
    .map((field) => ({ field, spoiling: 'missing', input: without(good, field) }));
  const unknown = { field: 'surprise', spoiling: 'unknown', input: { ...good, surprise: 'sample' } };
  return [unknown, ...spoiled, ...lacking];
}

function badValues(schema: FieldSchema): unknown[] {
  const { type, enum: choices, minimum, maximum, minLength = 0, maxLength = 0, minItems, maxItems } = schema;
  if (choices) return ['kill'];
  const outside = [(minimum ?? Number.NaN) - 1, (maximum ?? Number.NaN) + 1].filter(Number.isInteger);
  if (type === 'integer') return ['abc', 1.5, 2 ** 53, ...outside];
  if (type === 'array')
    return ['x', ...(minItems ? [[]] : []), ...(maxItems ? [Array(maxItems + 1).fill('x')] : [])];
  if (type === 'boolean') return ['yes'];
  if (type === 'string')
    return ['nul \0', 'half \ud800', 'x'.repeat(maxLength + 1), ...(minLength === 0 ? [] : [' '])];
  return [];
}

/** A URL cannot contain half a character. */
const isHalf = (value: unknown) => typeof value === 'string' && !value.isWellFormed();

const without = (input: Input, field: string): Input =>
  Object.fromEntries(Object.entries(input).filter(([name]) => name !== field));

const shown = (value: unknown) => JSON.stringify(value).slice(0, 20);
