/** JSON Schema as OpenAPI documents hold it, and the changes that make zod's output portable. */
import { z } from 'zod';

/** The part of JSON Schema that zod writes. */
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
  [keyword: string]: unknown;
}

export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io });
  return jsonSchema as Schema; // zod's own type also allows boolean schemas, which objects never become
}

/** Without the bounds of JavaScript's integers, with null as one of several types, and with open enums spelled out. */
export function makePortable({ minimum, maximum, ...schema }: Schema): Schema {
  const isUnbounded = maximum === Number.MAX_SAFE_INTEGER;
  return openEnum(
    mergeNull({
      ...schema,
      ...(isUnbounded && { format: 'int64' }),
      ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
      ...(maximum !== undefined && !isUnbounded && { maximum }),
    }),
  );
}

/** `{anyOf: [{type: 'string'}, {type: 'null'}]}` becomes `{type: ['string', 'null']}`, unless an enum would exclude null. */
function mergeNull({ anyOf, ...schema }: Schema): Schema {
  const [value, nothing] = anyOf ?? [];
  const isMergeable = typeof value?.type === 'string' && !value.enum && nothing?.type === 'null';
  if (isMergeable && anyOf?.length === 2) return { ...value, ...schema, type: [String(value.type), 'null'] };
  return anyOf ? { ...schema, anyOf } : schema;
}

/** Clients complete the known values, and a new one breaks none; Go has no such type, so oapi-codegen is told to use string. */
function openEnum({ knownValues, type, ...schema }: Schema): Schema {
  if (!Array.isArray(knownValues)) return type === undefined ? schema : { ...schema, type };
  return {
    ...schema,
    anyOf: [{ type: 'string', enum: knownValues }, { type: 'string' }],
    'x-go-type': 'string',
  };
}

/** Responses may gain fields, so their schemas do not forbid more. */
export const leaveOpen = ({ additionalProperties, ...schema }: Schema): Schema =>
  additionalProperties ? { ...schema, additionalProperties } : schema;
