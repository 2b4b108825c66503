/** Examples of an operation's input: a valid one from its schema's metadata, and the message for an invalid one. */
import { z } from 'zod';
import { formatZodError } from '../../routers/format-zod-error.ts';
import type { Operation } from '../operations.ts';
import { takesBody } from '../rest/input.ts';

const Examples = z.array(z.record(z.string(), z.unknown())).min(1);

/** The schema's first example, split into path parameters and the rest. */
export function exampleOf({ input, pathParameters }: Operation) {
  const [example = {}] = Examples.safeParse(input.meta()?.['examples']).data ?? [];
  const isInPath = ([field]: [string, unknown]) => pathParameters.includes(field);
  const fields = Object.entries(example);
  return {
    path: Object.fromEntries(fields.filter(isInPath)),
    rest: Object.fromEntries(fields.filter((field) => !isInPath(field))),
  };
}

/** The error message for the first invalid of: an empty body, text in the query, an unknown field. */
export function badInputMessage(operation: Operation): string {
  const { path } = exampleOf(operation);
  const texts = Object.keys(operation.input.shape).map((field) => [field, 'abc']);
  const inputs = [takesBody(operation) ? {} : Object.fromEntries(texts), { surprise: 'abc' }];
  const [error] = inputs.flatMap((input) => operation.input.safeParse({ ...input, ...path }).error ?? []);
  if (!error) throw new Error(`${operation.name} accepts any input: its schema must be a z.strictObject`);
  return formatZodError(error);
}
