/** Text where a schema has a number or a boolean: paths and queries have no others, and some agents send no others. */
import { z } from 'zod';

/** Converts the text of a field where it is exactly a number or a boolean; other text stays, for the schema to check. */
export function createCoercion({ shape }: z.ZodObject): (field: string, text: string) => unknown {
  const coercions = new Map(Object.entries(shape).map(([field, schema]) => [field, coercionOf(schema)]));
  return (field, text) => coercions.get(field)?.(text) ?? text;
}

const decimal = /^-?(0|[1-9]\d*)$/;

const booleans = new Map([
  ['true', true],
  ['false', false],
]);

/** Undefined leaves the text as it is. */
function coercionOf(wrapped: unknown): (text: string) => unknown {
  const schema = withoutOptionalOrNull(wrapped);
  if (schema instanceof z.ZodNumber) return (text) => (decimal.test(text) ? Number(text) : undefined);
  if (schema instanceof z.ZodBoolean) return (text) => booleans.get(text);
  return () => undefined;
}

/** What a schema says of a value that is there. */
export const withoutOptionalOrNull = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
    ? withoutOptionalOrNull(schema.unwrap())
    : schema;
