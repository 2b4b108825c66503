/** Names the command of each operation in few words, which are unique within the group of its tag. */
import type { readOperations } from '../operations.ts';

export type DescribedCall = ReturnType<typeof readOperations>[number];

/** The words of a name in camel case, such as an operationId, with hyphens. */
export const kebabCase = (name: string): string => wordsOf(name).join('-');

/** The short name, if no earlier operation has it, and then the operationId. */
export function nameCommands(operations: readonly DescribedCall[]): Map<DescribedCall, string[]> {
  const taken = new Set(operations.map(({ name }) => name));
  const names = operations.map((operation): [DescribedCall, string[]] => {
    const short = shortNameOf(operation);
    const isFree = short !== '' && !taken.has(short);
    taken.add(short);
    return [operation, isFree ? [short, operation.name] : [operation.name]];
  });
  return new Map(names);
}

function shortNameOf({ name, group, described }: DescribedCall): string {
  const declared = described['x-command'];
  if (declared) return kebabCase(declared);
  const noun = kebabCase(group);
  const implied = ['my', 'server', noun, noun.replace(/s$/, '')];
  const words = wordsOf(name).filter((word) => !implied.includes(word));
  return words.join('-').replace(/-to$/, '');
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
