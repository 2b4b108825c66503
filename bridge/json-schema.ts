/** Makes the JSON Schema that zod writes portable, for the OpenAPI document and for tools. */
import { z } from 'zod';

export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  required?: string[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
  'x-extensible-enum'?: readonly string[];
  [keyword: string]: unknown;
}

type Direction = 'input' | 'output';

export function toJsonSchema(schema: z.ZodType, io: Direction): Schema {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io });
  return jsonSchema as Schema; // zod's type also allows boolean schemas, which ours never become
}

interface Rewriting {
  io: Direction;
  /** `name` is the part's title, or else its parent's name and its own key. */
  change: (part: Schema, name: string) => Schema;
}

/** Changes the innermost parts first. */
export function rewrite(schema: Schema, rewriting: Rewriting, name = ''): Schema {
  const { title = name, properties, items, anyOf } = schema;
  const inner = (part: Schema, partName: string) => rewrite(part, rewriting, partName);
  const changed = {
    ...schema,
    ...(properties && {
      properties: mapValues(properties, (part, key) => inner(part, title + pascalCase(key))),
    }),
    ...(items && { items: inner(items, `${title}Item`) }),
    ...(anyOf && { anyOf: anyOf.map((part) => inner(part, title)) }),
  };
  return rewriting.change(makePortable(changed, rewriting.io), title);
}

/**
 * Removes JavaScript's integer bounds, `propertyNames`, which only says that names are text, and the pattern of a time, with
 * which openapi-generator writes Python that does not load. Responses may gain fields, so their schemas do not forbid unknown
 * ones.
 */
function makePortable(
  { minimum, maximum, pattern, additionalProperties, propertyNames: _, ...schema }: Schema,
  io: Direction,
): Schema {
  const isUnbounded = maximum === Number.MAX_SAFE_INTEGER;
  const isClosed = io === 'input' && additionalProperties === false;
  return {
    ...schema,
    ...(isUnbounded && { format: 'int64' }),
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && !isUnbounded && { maximum }),
    ...(pattern !== undefined && schema['format'] !== 'date-time' && { pattern }),
    ...((additionalProperties || isClosed) && { additionalProperties }),
  };
}

export const mapValues = <Value, Changed>(
  values: Record<string, Value>,
  change: (value: Value, name: string) => Changed,
) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));

export const pascalCase = (name: string): string =>
  name.replace(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase());
