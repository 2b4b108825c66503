/** What encrypts the secrets and challenges of second factors; where it is missing, they are off. */
import type { Context } from '../context.ts';
import { secondFactorsOff } from '../errors.ts';

/** @throws bad_request where there is no key for it */
export function requireVault({ models: { vault } }: Pick<Context, 'models'>) {
  if (!vault.isUnlocked) throw secondFactorsOff();
  return vault.opened;
}

/** Not stored, so that visitors who only look at the page cost nothing: it says itself, encrypted, until when it is valid. */
export const seal = (ctx: Context, context: string, { text, ms }: { text: string; ms: number }): string =>
  requireVault(ctx).encryptFactor(context, `${ctx.clock() + ms} ${text}`);

/** The words; null for what was not sealed here for this, or is not valid any more. */
export function openSealed(ctx: Context, context: string, sealed: string): string[] | null {
  const secrets = requireVault(ctx);
  try {
    const [until, ...words] = secrets.decryptFactor(context, sealed).split(' ');
    return Number(until) > ctx.clock() ? words : null;
  } catch {
    return null;
  }
}
