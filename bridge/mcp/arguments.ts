/** Reads the arguments of a tool as its operation's schema expects them: agents write much as text, and null for what they leave out. */
import { z } from 'zod';
import { mcpTokensMax } from '../../models/bounds.ts';
import { createCoercion, unwrap } from '../coerce.ts';
import { isJsonObject, parseJsonText } from '../json.ts';
import { type Operation, takesIdempotencyKey } from '../operations.ts';
import { keyArgument } from './tools.ts';

/** An operation's input, and the idempotency key of a write. */
export interface ToolArguments {
  input: unknown;
  idempotencyKey: unknown;
}

const key = z.string().min(1).optional();

/** Added by n8n to the arguments of every tool. */
const fieldsOfClients = ['sessionId', 'action', 'chatInput', 'toolCallId'];

export function createArgumentReader(operation: Operation): (args: unknown) => ToolArguments {
  const readField = createFieldReader(operation);
  const read = ([field, sent]: [string, unknown]): [string, unknown][] => {
    const value = readField(field, sent);
    return value === undefined ? [] : [[field, value]];
  };
  return function readArguments(sent) {
    const args = typeof sent === 'string' ? fromText(sent || '{}') : sent;
    if (!isJsonObject(args)) return { input: args ?? {}, idempotencyKey: undefined };
    const present = Object.fromEntries(Object.entries(args).flatMap(read));
    if (!takesIdempotencyKey(operation)) return { input: present, idempotencyKey: undefined };
    const { [keyArgument]: idempotencyKey, ...input } = present;
    return { input, idempotencyKey };
  };
}

/** Fields that the tool does not know are left for the schema to refuse. */
function createFieldReader(operation: Operation): (field: string, value: unknown) => unknown {
  const coerce = createCoercion(operation.input);
  const fields = { ...operation.input.shape, ...(takesIdempotencyKey(operation) && { [keyArgument]: key }) };
  const kinds = new Map(Object.entries(fields).map(([field, schema]) => [field, kindOf(schema)]));
  const ignored = new Set(fieldsOfClients.filter((field) => !kinds.has(field)));
  return function readField(field, value) {
    const kind = kinds.get(field);
    if (ignored.has(field)) return undefined;
    if (!kind) return value;
    const { isOptional, emptyMeansNothing, noneIsNull, isList } = kind;
    if ((isOptional && value === null) || (emptyMeansNothing && (value === '' || value === 'null')))
      return undefined;
    if (noneIsNull && value === 'none') return null;
    if (typeof value !== 'string') return value;
    return isList ? fromText(value) : coerce(field, value);
  };
}

/** What an argument may be left out by, or be written as, beside a value of its own. */
function kindOf(schema: z.ZodType) {
  const takes = (value: unknown) => schema.safeParse(value).success;
  const isOptional = takes(undefined);
  return {
    isOptional,
    /** A text that may be null, or must not be empty, says nothing where it is empty. */
    emptyMeansNothing: isOptional && (takes(null) || !takes('')),
    noneIsNull: takes(null) && !takes('none'),
    isList: unwrap(schema) instanceof z.ZodArray,
  };
}

/** JSON in a text, within the bound of a body; otherwise the text, for the schema to refuse. */
function fromText(text: string): unknown {
  const value = parseJsonText(text, mcpTokensMax);
  return value === undefined ? text : value;
}
