/** The command of `npm start`, to start the built service in the same way without npm. */
import { readFileSync } from 'node:fs';

const project = new URL('../../', import.meta.url);

/** Arguments of node, the program last. */
export function readStartArguments(checkout = project): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', checkout), 'utf8'));
  return scripts.start.split(' ').slice(1);
}
