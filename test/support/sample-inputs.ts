/** Inputs that an operation's schema accepts, made from the schema alone. */
import { z } from 'zod';
import type { Operation } from '../../bridge/operations.ts';

type Row = Pick<Operation, 'input'> & Partial<Pick<Operation, 'path' | 'pathParameters'>>;

/** The name of the host's sample webhook, besides the customer's "sample". */
export const hostSample = 'sample-host';

/** A stopped server, besides the running "sample". */
export const stoppedSample = 'sample-off';

/** The image that a change of the startup of "sample" sets, and another one that its game offers. */
const sampleImage = 'ghcr.io/images/java:21';
const otherSampleImage = 'ghcr.io/images/java:17';

/** An accepted input: each text is "sample", each number 1, each choice its first, each time in the far future. */
export function sampleInputOf({ input, path, pathParameters = [] }: Row): Record<string, unknown> {
  const sample = sampleObject({ properties: fieldsOf(input) });
  if (path?.startsWith('/admin/webhooks')) for (const name of pathParameters) sample[name] = hostSample;
  // The links of the tests' panel lead to no machine with the archive.
  if (path?.endsWith('/restore'))
    Object.assign(sample, { server_identifier: stoppedSample, delete_files: false });
  // A task has only the fields of its action.
  if (path?.includes('/schedules') && 'tasks' in sample)
    sample['tasks'] = [{ action: 'power', signal: 'start' }];
  if (path?.endsWith('/startup') && 'variables' in sample)
    Object.assign(sample, { variables: { MINECRAFT_VERSION: 'sample' }, image: sampleImage });
  // No sample backup is from today.
  if (path?.endsWith('/reinstall')) sample['backup'] = null;
  // One of the two is required.
  if (path?.endsWith('/files/fetch')) delete sample.sha512;
  return sample;
}

/** Another accepted input, which differs in one field, if possible of the body. */
export function otherInputOf(row: Row & Pick<Operation, 'pathParameters'>): Record<string, unknown> {
  const properties = fieldsOf(row.input);
  const fields = Object.keys(properties);
  const field = fields.findLast((name) => !row.pathParameters.includes(name)) ?? fields[0];
  if (!field) return {};
  const sample = sampleInputOf(row);
  const other = sample[field] === sampleImage ? otherSampleImage : otherValue(properties[field] ?? {});
  return { ...sample, [field]: other === sample[field] ? !other : other };
}

/** Fields by name, without aliases, which tools do not take. */
export function fieldsOf(input: Operation['input']): Record<string, JsonSchema> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
  const fields = Object.entries(properties as Record<string, JsonSchema>);
  return Object.fromEntries(fields.filter(([, { aliasOf }]) => aliasOf === undefined));
}

interface JsonSchema {
  minItems?: number;
  maxItems?: number;
  aliasOf?: string;
  maximum?: number;
  minimum?: number;
  minLength?: number;
  maxLength?: number;
  type?: string;
  format?: string;
  items?: JsonSchema;
  properties?: Record<string, unknown>;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  pattern?: string;
  examples?: unknown[];
}

/** Two accepted texts for each format. */
const formats: Record<string, [sample: string, other: string]> = {
  'date-time': ['2100-01-01T00:00:00Z', '2101-01-01T00:00:00Z'],
  email: ['sample@example.com', 'other@example.com'],
  uuid: ['5a3b1e00-0000-4000-8000-000000000001', '5a3b1e00-0000-4000-8000-000000000002'],
  uri: ['https://example.com/sample', 'https://example.com/other'],
};

const sampleObject = ({ properties = {} }: Pick<JsonSchema, 'properties'>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => [field, sampleValue(schema as JsonSchema)]),
  );

function sampleValue(schema: JsonSchema): unknown {
  const { type = '', format = '', items, enum: choices, anyOf, pattern, examples = [] } = schema;
  if (anyOf?.[0]) return sampleValue(anyOf[0]);
  if (pattern !== undefined && examples.length > 0) return examples[0];
  if (items) return [sampleValue(items)];
  if (formats[format]) return formats[format][0];
  if ('const' in schema) return schema.const;
  if (choices) return choices[0];
  if (type === 'object') return sampleObject(schema);
  return { integer: 1, number: 1, boolean: true, string: 'sample' }[type];
}

function otherValue(schema: JsonSchema): unknown {
  const { type = '', format = '', items, enum: choices, anyOf, pattern, examples = [] } = schema;
  if (anyOf?.[0]) return otherValue(anyOf[0]);
  if (pattern !== undefined && examples.length > 1) return examples[1];
  if (items) return [otherValue(items)];
  if (formats[format]) return formats[format][1];
  if (choices) return choices[1] ?? choices[0];
  return { integer: 2, number: 2, boolean: false, string: 'other' }[type];
}
