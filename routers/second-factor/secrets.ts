/** Encrypts the secrets and challenges of second factors. Without SECRETS_KEY, second factors are off. */
import type { Context } from '../context.ts';
import { secondFactorsOff } from '../errors.ts';

export function requireVault({ models: { vault } }: Pick<Context, 'models'>) {
  if (!vault.isUnlocked) throw secondFactorsOff();
  return vault.opened;
}

/** The sealed text contains its own expiry and is not stored, so visitors who only view the page cost nothing. */
export const seal = (ctx: Context, context: string, { text, ms }: { text: string; ms: number }): string =>
  requireVault(ctx).encryptFactor(context, `${ctx.clock() + ms} ${text}`);

/** The sealed words; null if the text was not sealed here for this context, or has expired. */
export function openSealed(ctx: Context, context: string, sealed: string): string[] | null {
  const secrets = requireVault(ctx);
  try {
    const [until, ...words] = secrets.decryptFactor(context, sealed).split(' ');
    return Number(until) > ctx.clock() ? words : null;
  } catch {
    return null;
  }
}
