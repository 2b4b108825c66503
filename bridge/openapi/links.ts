/** The links of an operation's success: operations to call next, with the values that they take from it. */
import { type Operation, operationIdOf } from '../operations.ts';

export interface Link {
  operationId: string;
  description: string;
  parameters: Record<string, string>;
}

/** Leaves out operations that this service does not offer. */
export const describeLinks = (
  links: NonNullable<Operation['links']>,
  offered: readonly Operation[],
): Record<string, Link> =>
  Object.fromEntries(
    offered.flatMap((target) => {
      const path = links[operationIdOf(target)];
      return path === undefined ? [] : [[operationIdOf(target), describeLink(target, path)]];
    }),
  );

function describeLink(target: Operation, path: string): Link {
  const own = target.pathParameters.slice(0, -1).map((name) => [name, `$request.path.${name}`]);
  const last = [target.pathParameters.at(-1), `$response.body#/${path.replaceAll('.', '/')}`];
  return {
    operationId: operationIdOf(target),
    description: `${target.summary}.`,
    parameters: Object.fromEntries([...own, last]),
  };
}
