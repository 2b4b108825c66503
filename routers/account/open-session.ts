/** How a visitor's sign-in begins a session, and how the page shows its user. */
import { z } from 'zod';
import type { UserRecord } from '../../models/user.ts';
import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { accountSuspended } from '../errors.ts';
import { Me, presentMe } from '../schemas/me.ts';

type Transaction = Parameters<Parameters<Context['models']['transaction']>[0]>[0];

export const sessionOf = (caller: Caller) => (caller.kind === 'session' ? caller.session : null);

interface SignedIn {
  user: UserRecord;
  isSingleSignOn?: boolean;
  isFromLink?: boolean;
  linkKeyId?: string | undefined;
  mailedTo?: string | undefined;
}

/**
 * The browser's previous session ends, which prevents session fixation.
 * @throws for a suspended user
 */
export async function openSession(
  { models, caller, clock, outcome, ...ctx }: Context,
  signedIn: SignedIn,
  transaction?: Transaction,
): Promise<void> {
  const { user } = signedIn;
  outcome.userId = user._id;
  if (!user.isActive) throw accountSuspended();
  const browser = ctx.browser();
  const previous = sessionOf(caller);
  if (previous) await models.sessions.end(previous.id);
  const newSession = { ...signedIn, device: browser.device };
  const { token, expiresAt } = await models.sessions.open(newSession, new Date(clock()), transaction);
  browser.setToken(token, expiresAt);
}

export const AccountUser = Me.extend({
  support: z.boolean().describe('Whether the user works on all tickets.'),
});

export const presentUser = (user: UserRecord): z.infer<typeof AccountUser> => ({
  ...presentMe(user),
  support: user.isSupport,
});
