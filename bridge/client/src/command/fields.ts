/** Reads the fields of an operation's input from its description. */
import { fieldNameOf, idempotencyKeyField, type Schema } from '../operations.ts';
import { type DescribedCall, kebabCase } from './names.ts';
import { alternativesOf, describeValue, type Schemas, type Value } from './values.ts';

export interface Field extends Pick<Value, 'placeholder' | 'read'> {
  name: string;
  /** As an option. */
  flag: string;
  description: string;
}

export interface Fields {
  path: Field[];
  others: Field[];
  /** A call needs all fields of one of these lists. */
  required: string[][];
}

export function readFields({ path, described }: DescribedCall, schemas: Schemas): Fields {
  const { requestBody, parameters = [] } = described;
  const placed = parameters.filter((one) => fieldNameOf(one) !== idempotencyKeyField);
  const bodies = alternativesOf(requestBody?.content['application/json'].schema ?? {}, schemas);
  const properties = bodies.flatMap((body) => Object.entries(body.properties ?? {}));
  const fields = new Map<string, Schema>([
    ...placed.map((one) => [fieldNameOf(one), { ...one.schema, description: one.description }] as const),
    ...properties.filter(([, { readOnly }]) => !readOnly),
  ]);
  const describe = (name: string) => fieldOf(name, fields.get(name) ?? {}, schemas);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const others = [...fields.keys()].filter((name) => !inPath.includes(name)).map(describe);
  const always = placed.filter((one) => one.required).map(fieldNameOf);
  const required = bodies.map((body) => [...always, ...(body.required ?? [])]);
  for (const field of others)
    if (required.every((names) => names.includes(field.name))) field.description += ' (required)';
  return { path: inPath.map(describe), others, required };
}

function fieldOf(name: string, schema: Schema, schemas: Schemas): Field {
  const { placeholder, read, remarks } = describeValue(schema, schemas);
  const { description = '', default: standard } = alternativesOf(schema, schemas)[0] ?? {};
  if (standard !== undefined) remarks.push(`default: ${JSON.stringify(standard)}`);
  const remark = remarks.length > 0 ? ` (${remarks.join('; ')})` : '';
  return { name, flag: flagOf(name), placeholder, read, description: description + remark };
}

/** Options of the command itself. */
const ownFlags = ['--follow', '--help', '--idempotency-key', '--input', '--json', '--yes'];

function flagOf(field: string): string {
  const flag = `--${kebabCase(field)}`;
  return ownFlags.includes(flag) ? `--field-${kebabCase(field)}` : flag;
}
