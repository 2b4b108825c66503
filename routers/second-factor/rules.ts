/** Where second factors are on, and what needs one that was shown lately. */
import type { Context, SessionContext } from '../context.ts';
import { secondFactorsOff, strongSessionRequired } from '../errors.ts';

/** What encrypts their secrets. @throws bad_request where there is no key for it */
export function secretsOf({ models: { webhookSecrets } }: Pick<Context, 'models'>) {
  if (!webhookSecrets.isUnlocked) throw secondFactorsOff();
  return webhookSecrets.opened;
}

export const hasPasskeys = (ctx: Pick<Context, 'models' | 'browser'>): boolean =>
  ctx.models.webhookSecrets.isUnlocked && ctx.browser().relyingPartyId !== null;

/** @throws strong_session_required where the user has a second factor and has shown none lately */
export function requireFresh({ caller: { session } }: SessionContext): void {
  if (session.user.hasSecondFactor && !session.isFresh) throw strongSessionRequired();
}
