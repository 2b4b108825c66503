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
  return { ...schema, type: 'object' };
}

function simplify(schema: z.core.JSONSchema.BaseSchema, io: 'input' | 'output'): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  const { type, example } = schema as { type?: unknown; example?: unknown }; // OpenAPI's words among JSON Schema's
  if (example !== undefined) {
    delete schema['example'];
    schema.examples = [example];
  }
  if (Array.isArray(type)) {
    delete schema.type;
    schema.anyOf = type.map((single) => ({ type: single }));
  }
}
