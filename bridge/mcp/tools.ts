/**
 * The operations that name a tool, as tools/list shows them, with schemas that every client understands: an object at the root
 * and everything inline, without the dialect's rarer forms that clients, and the model vendors behind them, are known to refuse
 * or to drop. A write takes its idempotency key as an argument, for agents, which can set no header.
 */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { idempotencyHours, idempotencyKeyLengthMax } from '../../routers/idempotency.ts';
import { scopes } from '../../routers/scopes.ts';
import type { ToolMeta } from '../../routers/trpc.ts';
import { createCoercion } from '../coerce.ts';
import { isJsonObject } from '../json.ts';
import { type Operation, takesIdempotencyKey } from '../operations.ts';

/** An operation that is a tool. */
export type ToolOperation = Operation & { tool: ToolMeta };

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: PortableSchema;
  outputSchema: PortableSchema;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  _meta: Record<string, unknown>;
}

/** Ordered by scope, the least powerful first, then as in the router. */
export function readTools(operations: readonly Operation[]): ToolOperation[] {
  const tools = operations.filter(isToolOperation).sort((one, other) => rank(one) - rank(other));
  const names = tools.map(({ tool }) => tool.name);
  const wrong = names.find((name, index) => !isToolName.test(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) throw new Error(`The tool name ${wrong} is not valid, or is given twice`);
  return tools;
}

const isToolOperation = (operation: Operation): operation is ToolOperation => operation.tool !== undefined;

const rank = ({ scope }: Operation) => (scopes as readonly unknown[]).indexOf(scope);

/** What all clients take (SEP-986). */
const isToolName = /^[\w.-]{1,64}$/;

/** On a tool that returns text of others and on each of its results, as hosts of agents may treat both. */
export const foreignTextMeta = ({ foreignText }: ToolMeta) =>
  foreignText === undefined ? {} : { 'gamehost/untrusted': `Data ${foreignText}` };

/** Every key sees every tool and the scope it wants, so that an agent can say what its key lacks. */
export function describeTool(operation: ToolOperation): Tool {
  const { tool, scope, openapi } = operation;
  const description = [
    openapi.description,
    tool.hint,
    tool.foreignText && `What it returns is data ${tool.foreignText}`,
    scope && `Needs the scope ${scope}.`,
  ];
  const input = inputSchema(operation.input);
  return {
    name: tool.name,
    title: tool.title,
    description: description.filter(Boolean).join(' '),
    inputSchema: takesIdempotencyKey(operation) ? withIdempotencyKey(input) : input,
    outputSchema: outputSchema(operation.output),
    annotations: {
      readOnlyHint: tool.readOnly,
      destructiveHint: tool.destructive,
      idempotentHint: tool.idempotent,
      openWorldHint: tool.openWorld,
    },
    _meta: { 'gamehost/scope': scope, ...foreignTextMeta(tool) },
  };
}

const argumentName = 'idempotency_key';

const argumentSchema = {
  type: 'string',
  description:
    'Optional, for safe retries: a random text, such as a UUID. A call repeated with the same text within ' +
    `${idempotencyHours} hours runs once and gets the first response again. At most ${idempotencyKeyLengthMax} characters.`,
};

/** The schema of a write's input with the argument added. */
const withIdempotencyKey = ({ properties, ...schema }: PortableSchema): PortableSchema => ({
  ...schema,
  properties: { ...Object(properties), [argumentName]: nullable(argumentSchema) },
});

/** Arguments as an operation's schema expects them, and the idempotency key of a write. */
export interface ToolArguments {
  input: unknown;
  idempotencyKey: unknown;
}

/** Added by n8n to the arguments of every tool. */
const fieldsOfClients = ['sessionId', 'action', 'chatInput', 'toolCallId'];

/** Reads the arguments of a tool: its clients may send numbers and booleans as text, null for absent ones, and fields of their own. */
export function createArgumentReader(operation: Operation): (args: unknown) => ToolArguments {
  const coerce = createCoercion(operation.input);
  const ignored = new Set(fieldsOfClients.filter((field) => !Object.hasOwn(operation.input.shape, field)));
  const isKeyed = takesIdempotencyKey(operation);
  const read = ([field, value]: [string, unknown]): [string, unknown][] => {
    if (ignored.has(field) || (value === null && isAbsent(operation, field))) return [];
    return [[field, typeof value === 'string' ? coerce(field, value) : value]];
  };
  return function readArguments(args) {
    if (!isJsonObject(args)) return { input: args, idempotencyKey: undefined };
    const present = Object.fromEntries(Object.entries(args).flatMap(read));
    if (!isKeyed) return { input: present, idempotencyKey: undefined };
    const { [argumentName]: idempotencyKey, ...input } = present;
    return { input, idempotencyKey: idempotencyKey ?? undefined };
  };
}

/** Null means absent for an optional argument, unless null is one of its values. */
function isAbsent({ input }: Operation, field: string): boolean {
  const schema = Object.hasOwn(input.shape, field) ? input.shape[field] : undefined;
  return schema !== undefined && z.safeParse(schema, undefined).success && !z.safeParse(schema, null).success;
}

type PortableSchema = Record<string, unknown> & { type: 'object' };

/** What a caller may send; unknown fields are refused, as the schema states. */
export const inputSchema = (shape: z.ZodType): PortableSchema =>
  withNullableOptionals(withoutAliases(portable(shape, 'input', withDescribedBounds)));

/** What a result holds; left open, so that a client with an earlier schema accepts a result with a new field. */
export const outputSchema = (shape: z.ZodType): PortableSchema => portable(shape, 'output');

function portable(
  shape: z.ZodType,
  io: 'input' | 'output',
  rewrite: (part: JsonSchema) => JsonSchema = (part) => part,
): PortableSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io,
    override: ({ jsonSchema }) => simplify(jsonSchema, io),
  });
  if (schema.type !== 'object') throw new Error('A tool takes and gives an object');
  return JSON.parse(JSON.stringify(schema), (_key, part) =>
    isObject(part) ? rewrite(withSingleType(part)) : part,
  );
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function simplify(schema: JsonSchema, io: 'input' | 'output'): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  delete schema['knownValues']; // only for OpenAPI
  delete schema.title; // only programs need it, and it costs a model tokens
  delete schema['example']; // only for OpenAPI
  delete schema.examples; // Gemini refuses them
}

/** Not an array, which `Object.entries` of a schema also meets. */
const isObject = (part: unknown): part is JsonSchema =>
  typeof part === 'object' && part !== null && !Array.isArray(part);

/** Anthropic's strict tools and OpenAI's refuse some bounds, so a model reads the upper ones; the procedure checks all. */
function withDescribedBounds(part: JsonSchema): JsonSchema {
  const { minLength, maxLength, minimum, maximum, ...schema } = part;
  const bounds = [
    typeof maxLength === 'number' && [maxLength, ' characters'],
    typeof maximum === 'number' && [maximum, ''],
  ];
  const texts = bounds.flatMap((bound) => {
    if (!bound) return [];
    const number = bound[0]?.toLocaleString('en-US') ?? '';
    return schema.description?.includes(number) ? [] : [`At most ${number}${bound[1]}.`];
  });
  const description = [schema.description, ...texts].filter(Boolean).join(' ');
  return description ? { ...schema, description } : schema;
}

/** `type: ["string", "null"]` as a choice; zod writes it after the last moment at which `simplify` could see it. */
function withSingleType(part: JsonSchema): JsonSchema {
  const { type, ...rest } = part as { type?: unknown };
  return Array.isArray(type) ? { ...rest, anyOf: type.map((single) => ({ type: single })) } : part;
}

const propertiesOf = ({ properties }: PortableSchema): [name: string, schema: Record<string, unknown>][] =>
  Object.entries(Object(properties));

const requiredOf = ({ required }: PortableSchema): string[] => (Array.isArray(required) ? required : []);

/** A second name for a field only confuses a model, so the first is required and the second is left out. */
function withoutAliases(schema: PortableSchema): PortableSchema {
  const properties = propertiesOf(schema);
  const targets = properties.flatMap(([, { aliasOf }]) => (typeof aliasOf === 'string' ? [aliasOf] : []));
  if (targets.length === 0) return schema;
  const kept = properties.filter(([, { aliasOf }]) => aliasOf === undefined);
  return { ...schema, properties: Object.fromEntries(kept), required: [...targets, ...requiredOf(schema)] };
}

/** OpenAI's strict mode makes every argument required and refuses defaults: optional ones take null, which means absent. */
function withNullableOptionals(schema: PortableSchema): PortableSchema {
  const required = requiredOf(schema);
  const properties = propertiesOf(schema).map(([name, property]) => [
    name,
    required.includes(name) ? property : nullable(property),
  ]);
  return properties.length === 0 ? schema : { ...schema, properties: Object.fromEntries(properties) };
}

export function nullable({ description, default: value, ...schema }: Record<string, unknown>) {
  const texts = [description, ...(value == null || value === '' ? [] : [`Default: ${value}.`])];
  const choices: object[] = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [schema];
  const takesNull = choices.some((choice) => 'type' in choice && choice.type === 'null');
  return {
    description: texts.filter(Boolean).join(' '),
    ...(takesNull ? schema : { anyOf: [schema, { type: 'null' }] }),
  };
}
