/** Paths and queries carry only text, and some agents send only text. */
import { z } from 'zod';

/** Other text than exactly a number or a boolean stays, and the schema checks it. */
export function createCoercion({ shape }: z.ZodObject): (field: string, text: string) => unknown {
  const coercions = new Map(Object.entries(shape).map(([field, schema]) => [field, coercionOf(schema)]));
  return (field, text) => coercions.get(field)?.(text) ?? text;
}

const decimal = /^-?(0|[1-9]\d*)$/;

const booleans = new Map([
  ['true', true],
  ['false', false],
]);

function coercionOf(wrapped: unknown): (text: string) => unknown {
  const schema = withoutOptionalOrNull(wrapped);
  if (schema instanceof z.ZodNumber) return (text) => (decimal.test(text) ? Number(text) : undefined);
  if (schema instanceof z.ZodBoolean) return (text) => booleans.get(text);
  return () => undefined;
}

export const withoutOptionalOrNull = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
    ? withoutOptionalOrNull(schema.unwrap())
    : schema;
