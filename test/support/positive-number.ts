/** A number above 0 from a command line. */
import { InvalidArgumentError } from 'commander';

export function positiveNumber(value: string): number {
  if (!(Number(value) > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return Number(value);
}
