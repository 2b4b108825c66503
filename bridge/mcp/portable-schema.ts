/**
 * A zod schema as JSON Schema that every client understands: an object at the root and everything inline, without the
 * dialect's rarer forms that clients, and the model vendors behind them, are known to refuse or to drop.
 */
import { z } from 'zod';

export type PortableSchema = Record<string, unknown> & { type: 'object' };

/** What a caller may send; unknown fields are refused, as the schema states. */
export const inputSchema = (shape: z.ZodType): PortableSchema =>
  withNullableOptionals(withoutAliases(portable(shape, 'input', withDescribedBounds)));

/** What a result holds; left open, so that a client with last week's schema takes a result with a field more. */
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
