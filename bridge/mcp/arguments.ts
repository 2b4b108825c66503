/** Reads a tool's arguments. Agents send numbers and lists as text, and null for omitted arguments. */
import { z } from 'zod';
import { mcpTokensMax } from '../../models/bounds.ts';
import { createCoercion, withoutOptionalOrNull } from '../coerce.ts';
import { isJsonObject, parseJsonText } from '../json.ts';
import { mapValues } from '../json-schema.ts';
import { type Operation, takesIdempotencyKey } from '../operations.ts';
import { idempotencyKeyArgument } from './tools.ts';

export interface ToolArguments {
  input: unknown;
  idempotencyKey: unknown;
}

const idempotencyKeySchema = z.string().min(1).optional();

/** n8n adds these to the arguments of every tool. */
const fieldsOfClients = ['sessionId', 'action', 'chatInput', 'toolCallId'];

export function createArgumentReader(operation: Operation): (args: unknown) => ToolArguments {
  const hasKeyArgument = takesIdempotencyKey(operation);
  const readFields = createFieldsReader(
    z.object({
      ...operation.input.shape,
      ...(hasKeyArgument && { [idempotencyKeyArgument]: idempotencyKeySchema }),
    }),
  );
  const ignored = fieldsOfClients.filter((field) => !(field in operation.input.shape));
  return function readArguments(sent) {
    const args = typeof sent === 'string' ? fromText(sent || '{}') : sent;
    if (!isJsonObject(args)) return { input: args ?? {}, idempotencyKey: undefined };
    const fields = readFields(args);
    for (const field of ignored) delete fields[field];
    if (!hasKeyArgument) return { input: fields, idempotencyKey: undefined };
    const { [idempotencyKeyArgument]: idempotencyKey, ...input } = fields;
    return { input, idempotencyKey };
  };
}

function createFieldsReader(schema: z.ZodObject): (fields: object) => Record<string, unknown> {
  const coerce = createCoercion(schema);
  const kinds = new Map(Object.entries(schema.shape).map(([field, type]) => [field, kindOf(type)]));
  const readField = (field: string, value: unknown): unknown => {
    const kind = kinds.get(field);
    if (!kind) return value;
    const { isOptional, emptyMeansNothing, noneIsNull, readItems } = kind;
    if ((isOptional && value === null) || (emptyMeansNothing && (value === '' || value === 'null')))
      return undefined;
    if (noneIsNull && value === 'none') return null;
    if (readItems) return readItems(typeof value === 'string' ? fromText(value) : value);
    return typeof value === 'string' ? coerce(field, value) : value;
  };
  return (fields) =>
    Object.fromEntries(
      Object.entries(fields)
        .map(([field, value]) => [field, readField(field, value)])
        .filter(([, value]) => value !== undefined),
    );
}

function kindOf(schema: z.ZodType) {
  const takes = (value: unknown) => schema.safeParse(value).success;
  const isOptional = takes(undefined);
  return {
    isOptional,
    /** Whether `''` and `'null'` mean that the argument is omitted. If `''` is allowed and null is not, both are values. */
    emptyMeansNothing: isOptional && (takes(null) || !takes('')),
    noneIsNull: takes(null) && !takes('none'),
    readItems: takes({ anything: '' }) ? readTexts : itemsReaderOf(withoutOptionalOrNull(schema)),
  };
}

function itemsReaderOf(list: unknown): ((items: unknown) => unknown) | undefined {
  if (!(list instanceof z.ZodArray)) return undefined;
  const read = list.element instanceof z.ZodObject ? createFieldsReader(list.element) : null;
  const readItem = (item: unknown) => (read && isJsonObject(item) ? read(item) : item);
  return (items) => (Array.isArray(items) ? items.map(readItem) : items);
}

/** A map of texts, or the list of names and values that stands for it. Agents also send integers and booleans as values. */
function readTexts(texts: unknown): unknown {
  const list = NamedTexts.safeParse(texts).data;
  const map = list ? Object.fromEntries(list.map(({ name, value }) => [name, value])) : texts;
  return isJsonObject(map) ? mapValues(map, (text) => (isPlain(text) ? String(text) : text)) : texts;
}

const NamedTexts = z.array(z.strictObject({ name: z.string(), value: z.unknown() }));

/** A fraction may have lost a zero: the version 1.20 would arrive as 1.2. */
const isPlain = (value: unknown) => Number.isInteger(value) || typeof value === 'boolean';

function fromText(text: string): unknown {
  const value = parseJsonText(text, mcpTokensMax);
  return value === undefined ? text : value;
}
