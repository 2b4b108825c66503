/** Where second factors are on, and what needs one that was shown lately. */
import type { Context, SessionContext } from '../context.ts';
import { secondFactorsOff, strongSessionRequired } from '../errors.ts';

/** @throws bad_request where no key encrypts their secrets. */
export function requireOn({ models }: Context): void {
  if (!models.webhookSecrets.isUnlocked) throw secondFactorsOff();
}

export const hasPasskeys = (ctx: Pick<Context, 'models' | 'browser'>): boolean =>
  ctx.models.webhookSecrets.isUnlocked && ctx.browser().relyingPartyId !== null;

/** @throws strong_session_required where the user has a second factor and has shown none lately */
export function requireFresh({ caller: { session } }: SessionContext): void {
  if (session.user.hasSecondFactor && !session.isFresh) throw strongSessionRequired();
}
