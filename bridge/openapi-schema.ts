/** JSON Schemas as the document shows them: numbers that any language can hold, and a name for every titled one. */
import { isDeepStrictEqual } from 'node:util';

/** As much of JSON Schema as zod writes. */
export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
  [keyword: string]: unknown;
}

type Change = (schema: Schema) => Schema;

/** Writes each titled schema once, under its title, and a reference wherever it stands. */
export class NamedSchemas {
  readonly schemas: Record<string, Schema> = {};

  /** What a caller sends; a field that is not named is refused, and the schema says so. */
  request(schema: Schema): Schema {
    return this.#changed(schema, portable);
  }

  /** What a caller gets; left open, so that a client of today takes an answer with a field more tomorrow. */
  response(schema: Schema): Schema {
    return this.#changed(schema, (part) => open(portable(part)));
  }

  #changed(schema: Schema, change: Change): Schema {
    return changeAll(schema, (part) => this.#named(change(part)));
  }

  #named(schema: Schema): Schema {
    const { title } = schema;
    if (title === undefined) return schema;
    this.schemas[title] ??= schema;
    if (!isDeepStrictEqual(this.schemas[title], schema)) throw new Error(`Two schemas are titled ${title}`);
    return { $ref: `#/components/schemas/${title}` };
  }
}

/** Changes a schema and all schemas in it, the innermost first; what it is given stays as it is. */
function changeAll(schema: Schema, change: Change): Schema {
  const { properties, items, anyOf } = schema;
  const inner = (part: Schema) => changeAll(part, change);
  return change({
    ...schema,
    ...(properties && { properties: mapValues(properties, inner) }),
    ...(items && { items: inner(items) }),
    ...(anyOf && { anyOf: anyOf.map(inner) }),
  });
}

const mapValues = (schemas: Record<string, Schema>, change: Change) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]));

/** Without the bounds of JavaScript's integers, which are none of ours, and with null as a type among others. */
function portable({ minimum, maximum, ...schema }: Schema): Schema {
  const isUnbounded = maximum === Number.MAX_SAFE_INTEGER;
  return mergeNull({
    ...schema,
    ...(isUnbounded && { format: 'int64' }),
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && !isUnbounded && { maximum }),
  });
}

/** `{anyOf: [{type: 'string'}, {type: 'null'}]}` as `{type: ['string', 'null']}`, where no word of the first forbids null. */
function mergeNull({ anyOf, ...schema }: Schema): Schema {
  const [value, nothing] = anyOf ?? [];
  const isMergeable = typeof value?.type === 'string' && !value.enum && nothing?.type === 'null';
  if (isMergeable && anyOf?.length === 2) return { ...value, ...schema, type: [String(value.type), 'null'] };
  return anyOf ? { ...schema, anyOf } : schema;
}

function open({ additionalProperties, ...schema }: Schema): Schema {
  return additionalProperties ? { ...schema, additionalProperties } : schema;
}
