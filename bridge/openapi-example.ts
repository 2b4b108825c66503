/** Examples of a row's input: a right one, as its shape gives it, and the words for a wrong one. */
import { z } from 'zod';
import { describeBadInput } from '../routers/bad-input.ts';
import type { Row } from './catalogue.ts';

const Examples = z.array(z.record(z.string(), z.unknown())).min(1);

/** The first example of the row's shape, in the two parts in which REST sends it. */
export function exampleOf({ input, pathParameters }: Row) {
  const [example = {}] = Examples.safeParse(input.meta()?.['examples']).data ?? [];
  const isInPath = ([field]: [string, unknown]) => pathParameters.includes(field);
  const fields = Object.entries(example);
  return {
    path: Object.fromEntries(fields.filter(isInPath)),
    rest: Object.fromEntries(fields.filter((field) => !isInPath(field))),
  };
}

/** What the service says of the first of these that is wrong: an empty body, words in the query, a field it does not know. */
export function badInputMessage(row: Row): string {
  const { path } = exampleOf(row);
  const words = Object.keys(row.input.shape).map((field) => [field, 'abc']);
  const inputs = [row.method === 'POST' ? {} : Object.fromEntries(words), { surprise: 'abc' }];
  const [error] = inputs.flatMap((input) => row.input.safeParse({ ...input, ...path }).error ?? []);
  if (!error) throw new Error(`${row.name} takes everything: its input must be a strict object`);
  return describeBadInput(error);
}
