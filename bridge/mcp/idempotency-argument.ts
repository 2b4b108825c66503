/** The idempotency key as an argument of every tool that writes, for agents, which can set no header. */
import { z } from 'zod';
import { idempotencyKeyLengthMax } from '../../routers/idempotency.ts';
import { takesIdempotencyKey } from '../http/idempotency-key.ts';
import { isJsonObject } from '../http/json-body.ts';
import type { Operation } from '../operations.ts';
import { nullable, type PortableSchema } from './portable-schema.ts';

const argumentName = 'idempotency_key';

const argumentSchema = {
  type: 'string',
  description:
    'Optional, for safe retries: a random text, such as a UUID. A call repeated with the same text within 24 hours runs ' +
    `once and gets the first response again. At most ${idempotencyKeyLengthMax} characters.`,
};

/** The schema of a write's input with the argument added. */
export const withIdempotencyKey = ({ properties, ...schema }: PortableSchema): PortableSchema => ({
  ...schema,
  properties: { ...Object(properties), [argumentName]: nullable(argumentSchema) },
});

/** Separates the idempotency key from a write's arguments, which then are what the operation's schema expects. */
export function splitArguments(
  operation: Operation,
  args: unknown,
): { input: unknown; idempotencyKey: unknown } {
  if (!isJsonObject(args)) return { input: args, idempotencyKey: undefined };
  const present = withoutNulls(operation, args);
  if (!takesIdempotencyKey(operation)) return { input: present, idempotencyKey: undefined };
  const { [argumentName]: idempotencyKey, ...input } = present;
  return { input, idempotencyKey: idempotencyKey ?? undefined };
}

/** Null means absent for an optional argument, unless null is one of its values. */
function withoutNulls({ input }: Operation, args: Record<string, unknown>): Record<string, unknown> {
  const isAbsent = ([name, value]: [string, unknown]) => {
    const schema = value === null && Object.hasOwn(input.shape, name) ? input.shape[name] : undefined;
    return (
      schema !== undefined && z.safeParse(schema, undefined).success && !z.safeParse(schema, null).success
    );
  };
  const entries = Object.entries(args);
  return entries.some(isAbsent) ? Object.fromEntries(entries.filter((entry) => !isAbsent(entry))) : args;
}
