/** The idempotency key as an argument of every tool that writes, for agents, which can set no header. */
import { idempotencyKeyLengthMax } from '../../routers/idempotency.ts';
import { type Operation, takesIdempotencyKey } from '../idempotency-key.ts';
import { isJsonObject } from '../json-body.ts';
import type { PortableSchema } from './portable-schema.ts';

const argumentName = 'idempotency_key';

const argumentSchema = {
  type: 'string',
  minLength: 1,
  maxLength: idempotencyKeyLengthMax,
  description:
    'Optional. A new random text, such as a UUID, for each thing to be done. Repeat a call that got no answer with ' +
    'the same text: it is done once, and its first answer is given again for 24 hours.',
};

/** The schema of a write's input with the argument more. */
export const withIdempotencyKey = ({ properties, ...schema }: PortableSchema): PortableSchema => ({
  ...schema,
  properties: { ...Object(properties), [argumentName]: argumentSchema },
});

interface Arguments {
  args: unknown;
  idempotencyKey: unknown;
}

/** Takes the idempotency key out of a write's arguments, which then are what the row's shape expects. */
export function splitArguments({ row, args }: { row: Operation; args: unknown }): Arguments {
  if (!takesIdempotencyKey(row) || !isJsonObject(args)) return { args, idempotencyKey: undefined };
  const { [argumentName]: idempotencyKey, ...others } = args;
  return { args: others, idempotencyKey };
}
