/** The command of `npm start`, to start the built service in the same way without npm. */
import { readFileSync } from 'node:fs';

/** Arguments of node, the program last. */
export function readStartArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return scripts.start.split(' ').slice(1);
}
