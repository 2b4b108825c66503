/**
 * Converts text to the numbers and booleans of a schema: paths and queries carry only text, and so do some agents'
 * arguments.
 */
import { z } from 'zod';

/** Text that is not exactly a number or a boolean stays text, which the schema then checks. */
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
