/** Sign-in accepts any password. A new one must be long and hard to guess, without composition rules (NIST SP 800-63B). */
import { passwordLengthMin, ratedLengthMax } from '../../models/bounds.ts';
import { lazy } from '../support/memoize.ts';
import { filledExactText } from './text.ts';

export const Password = filledExactText(200);

export const NewPassword = Password.refine((password) => password.length >= passwordLengthMin, {
  error: `must be at least ${passwordLengthMin} characters`,
  abort: true,
});

export const guessableMessage = 'is too common or too easy to guess';

/**
 * Not part of the schema, because operations validate synchronously. On zxcvbn's scale of 0 to 4, 3 is "safely unguessable:
 * moderate protection from offline slow-hash scenario".
 */
export async function isGuessable(password: string): Promise<boolean> {
  return (await loadRater()).check(password).score < 3;
}

/** Loaded at first use, because zxcvbn has a long list of common passwords. */
const loadRater = lazy(async () => {
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core');
  const { adjacencyGraphs: graphs, dictionary } = await import('@zxcvbn-ts/language-common');
  return new ZxcvbnFactory({ dictionary, graphs, maxLength: ratedLengthMax });
});
