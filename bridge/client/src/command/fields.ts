/** Reads the fields of an operation's input from its description. */
import type { Parameter, Schema } from '../operations.ts';
import { type DescribedCall, kebabCase } from './names.ts';
import { alternativesOf, describeValue, type Schemas, type Value } from './values.ts';

export interface Field extends Value {
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
  const placed = parameters.filter(({ name }) => name !== 'Idempotency-Key');
  const bodies: Schema[] = requestBody
    ? alternativesOf(requestBody.content['application/json'].schema, schemas)
    : [{}];
  const properties = bodies.flatMap((body) => Object.entries(body.properties ?? {}));
  const fields = new Map([
    ...placed.map((one) => [fieldNameOf(one), { ...one.schema, description: one.description }] as const),
    ...properties.filter(([, { readOnly }]) => !readOnly),
  ]);
  const all = [...fields].map(([name, schema]) => fieldOf(name, schema, schemas));
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const required = placed.filter((one) => one.required).map(fieldNameOf);
  return {
    path: inPath.flatMap((name) => all.filter((field) => field.name === name)),
    others: all.filter(({ name }) => !inPath.includes(name)),
    required: bodies.map((body) => [...required, ...(body.required ?? [])]),
  };
}

const fieldNameOf = ({ name, in: place }: Parameter) =>
  place === 'header' ? name.toLowerCase().replaceAll('-', '_') : name;

function fieldOf(name: string, schema: Schema, schemas: Schemas): Field {
  const [first = {}] = alternativesOf(schema, schemas);
  const value = describeValue(schema, schemas);
  const remarks = [
    ...value.remarks,
    ...(first.default === undefined ? [] : [`default: ${JSON.stringify(first.default)}`]),
  ];
  const remark = remarks.length > 0 ? `(${remarks.join('; ')})` : '';
  return { ...value, name, flag: flagOf(name), description: `${first.description ?? ''} ${remark}`.trim() };
}

/** Options of the command itself. */
const ownFlags = ['--follow', '--help', '--idempotency-key', '--input', '--json', '--yes'];

function flagOf(field: string): string {
  const flag = `--${kebabCase(field)}`;
  return ownFlags.includes(flag) ? `--field-${kebabCase(field)}` : flag;
}
