/**
 * Describes the operations that name a tool, for `tools/list`. Each schema is an object with everything inline, and avoids the
 * rarer forms that some clients and model vendors refuse or drop. Agents cannot set headers, so a write takes its idempotency
 * key as an argument.
 */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { scopes } from '../../routers/scopes.ts';
import type { ToolMeta } from '../../routers/trpc.ts';
import { mapValues, rewrite, type Schema, toJsonSchema } from '../json-schema.ts';
import { isDestructive, type Operation, takesIdempotencyKey } from '../operations.ts';

export type ToolOperation = Operation & { tool: ToolMeta };

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: Schema;
  outputSchema: Schema;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  _meta: Record<string, unknown>;
}

/** Ordered by scope, the least powerful first, then in the router's order. */
export function readTools(operations: readonly Operation[]): ToolOperation[] {
  const tools = operations.filter(isToolOperation).sort((one, other) => rank(one) - rank(other));
  const names = tools.map(({ tool }) => tool.name);
  const wrong = names.find((name, index) => !toolNamePattern.test(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) throw new Error(`The tool name ${wrong} is invalid or a duplicate`);
  return tools;
}

const isToolOperation = (operation: Operation): operation is ToolOperation => operation.tool !== undefined;

const rank = ({ scope }: Operation) => (scopes as readonly unknown[]).indexOf(scope);

/** All clients accept these names (SEP-986). */
const toolNamePattern = /^[\w.-]{1,64}$/;

/** Added to the tool and to each of its results with such text, because a client may read either. */
export const foreignTextMeta = ({ foreignText }: ToolMeta) =>
  foreignText === undefined ? {} : { 'gamehost/untrusted': foreignText };

export function hasForeignText({ foreignText, foreignTextAt }: ToolMeta, output: unknown): boolean {
  if (foreignText === undefined || foreignTextAt === undefined) return foreignText !== undefined;
  const found = foreignTextAt.split('.').reduce(memberOf, output) as ArrayLike<unknown> | null;
  return (found?.length ?? 0) > 0;
}

const memberOf = (parent: unknown, name: string): unknown => (parent as Record<string, unknown>)[name];

export function describeTool(operation: ToolOperation): Tool {
  const { tool, scope, type, method } = operation;
  const description = [tool.description ?? operation.description, tool.foreignText && `${tool.foreignText}.`];
  const input = describeInput(operation.input);
  return {
    name: tool.name,
    title: operation.summary,
    description: description.filter(Boolean).join(' '),
    inputSchema: takesIdempotencyKey(operation) ? withIdempotencyKey(input) : input,
    outputSchema: describeOutput(operation),
    annotations: {
      readOnlyHint: type === 'query',
      destructiveHint: isDestructive(operation),
      idempotentHint: tool.idempotent ?? method !== 'POST',
      openWorldHint: tool.openWorld ?? false,
    },
    _meta: { 'gamehost/scope': scope, ...foreignTextMeta(tool) },
  };
}

export const idempotencyKeyArgument = 'idempotency_key';

const argumentSchema = {
  type: 'string',
  description: 'For retries.',
};

const withIdempotencyKey = ({ properties, ...schema }: Schema): Schema => ({
  ...schema,
  properties: { ...properties, [idempotencyKeyArgument]: argumentSchema },
});

const describeInput = (input: z.ZodObject): Schema =>
  withoutAliases(rewrite(toJsonSchema(input, 'input'), { io: 'input', change: describeArgument }));

/** Only an outline: a model plans with these fields, and sees the others in the result. */
const describeOutput = ({ output }: Operation): Schema => ({
  type: 'object',
  properties: mapValues(toJsonSchema(output, 'output').properties ?? {}, (property) => ({
    ...outline(property),
    ...(property.description !== undefined && { description: shortened(property.description) }),
  })),
});

function outline(schema: Schema): Schema {
  const { items } = schema;
  const fields = Object.assign({}, ...[items, ...(items?.anyOf ?? [])].map((kind) => kind?.properties));
  if (Object.keys(fields).length > 0)
    return { type: 'array', items: { type: 'object', properties: mapValues(fields, typeOf) } };
  return typeOf(schema);
}

/** A choice of types is `anyOf`, because some clients do not support a list of types. */
function typeOf({ type, anyOf }: Schema): Schema {
  const types = [...new Set([type ?? [], ...(anyOf ?? []).map((choice) => choice.type ?? [])].flat())];
  const [only, ...others] = types.map((name) => ({ type: name }));
  return others.length === 0 ? { ...only } : { anyOf: [only as Schema, ...others] };
}

const descriptionLengthMax = 60;

const shortened = (text: string): string =>
  text.length <= descriptionLengthMax ? text : `${text.split(/[;:.]/)[0]}.`;

/** Removes keywords that only programs need: they cost a model tokens, and Gemini refuses them. */
function simplify({ title: _, example: __, examples: ___, ...part }: Schema): Schema {
  const { format, 'x-extensible-enum': ____, ...schema } = withoutMap(withoutNull(part));
  return { ...schema, ...(format !== undefined && format !== 'int64' && { format }) };
}

/** Vendors refuse objects with any fields, so a map of texts is a list of names and values. */
function withoutMap(schema: Schema): Schema {
  const { additionalProperties: texts, maxProperties: _, ...list } = schema;
  return typeof texts === 'object' ? { ...list, type: 'array', items: namedText } : schema;
}

const text = { type: 'string' };
const namedText = {
  type: 'object',
  properties: { name: text, value: text },
  required: ['name', 'value'],
  additionalProperties: false,
};

/** Gemini refuses a choice of a type and null; `required` already shows which arguments are optional. */
function withoutNull({ type, anyOf, ...schema }: Schema): Schema {
  if (type === 'null') return { type };
  const choices = anyOf ?? [type ?? []].flat().map((single) => ({ type: single }));
  const kept = choices.filter((choice) => choice.type !== 'null');
  return kept.length > 1 ? { ...schema, anyOf: kept } : { ...kept[0], ...schema };
}

/** Anthropic's strict tools, OpenAI and Gemini refuse some bounds and defaults, so the description states them. */
function describeArgument(part: Schema): Schema {
  const { minLength: _, minimum: __, minItems: ___, pattern: ____, ...bounded } = simplify(part);
  const { maxLength: _____, maximum, maxItems, default: value, ...schema } = bounded;
  const texts = [describeBound(maximum, ''), describeBound(maxItems, ' items')].flatMap((bound) =>
    bound && !schema.description?.includes(bound.number) ? [bound.text] : [],
  );
  const byDefault = typeof value === 'string' && value !== '' ? `Default: ${value}.` : null;
  const description = [schema.description, ...texts, byDefault].filter(Boolean).join(' ');
  return description ? { ...schema, description } : schema;
}

function describeBound(bound: unknown, unit: string) {
  if (typeof bound !== 'number') return null;
  const number = bound.toLocaleString('en-US');
  return { number, text: `At most ${number}${unit}.` };
}

/** Removes aliases, which confuse a model, and requires the field with the first name. Also removes fields that are ignored. */
function withoutAliases({ properties = {}, required = [], ...schema }: Schema): Schema {
  const fields = Object.entries(properties);
  const targets = fields.flatMap(([, { aliasOf }]) => (typeof aliasOf === 'string' ? [aliasOf] : []));
  const kept = Object.fromEntries(fields.filter(([, { aliasOf, readOnly }]) => !aliasOf && !readOnly));
  const needed = [...targets, ...required];
  return { ...schema, properties: kept, ...(needed.length > 0 && { required: needed }) };
}
