/**
 * A zod shape as JSON Schema that every client understands: an object at the root and everything inline, without the
 * dialect's rarer forms that clients, and the model vendors behind them, are known to refuse or to drop.
 */
import { z } from 'zod';

export type PortableSchema = Record<string, unknown> & { type: 'object' };

/** What a caller may send; unknown fields are refused, and the schema says so. */
export const inputSchema = (shape: z.ZodType): PortableSchema => portable(shape, 'input');

/** What a result holds; left open, so that a client with last week's schema takes a result with a field more. */
export const outputSchema = (shape: z.ZodType): PortableSchema => portable(shape, 'output');

function portable(shape: z.ZodType, io: 'input' | 'output'): PortableSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io,
    override: ({ jsonSchema }) => simplify(jsonSchema, io),
  });
  if (schema.type !== 'object') throw new Error('A tool takes and gives an object');
  return JSON.parse(JSON.stringify(schema), (_key, part) => withSingleType(part));
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function simplify(schema: JsonSchema, io: 'input' | 'output'): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  delete schema.title; // names a type of a program, and costs a model words
  const { example } = schema; // OpenAPI's word for it
  delete schema['example'];
  if (example !== undefined) schema.examples = [example];
  if (io === 'output') delete schema.examples; // an agent need not be shown one: it gets the result
}

/** `type: ["string", "null"]` as a choice; zod writes it after the last moment at which `simplify` could see it. */
function withSingleType(part: unknown): unknown {
  const { type, ...rest } = Object(part);
  return Array.isArray(type) ? { ...rest, anyOf: type.map((single) => ({ type: single })) } : part;
}
