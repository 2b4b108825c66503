/** Opens a session for a user who has proved who they are, in whichever way. */
import type { UserRecord } from '../models/user.ts';
import type { Browser, Context } from './context.ts';
import { accountSuspended } from './errors.ts';

export type VisitorContext = Context & { browser: Browser };

interface SignedIn {
  user: UserRecord;
  isSingleSignOn?: boolean;
}

/**
 * The browser's previous session ends, which prevents session fixation.
 * @throws for a suspended user
 */
export async function openSession(
  { models, session, browser, clock }: VisitorContext,
  { user, isSingleSignOn = false }: SignedIn,
): Promise<void> {
  browser.auditAs(user._id);
  if (user.isActive === false) throw accountSuspended();
  if (session) await models.sessions.end(session.id);
  const newSession = { user, isSingleSignOn, device: browser.device };
  const { token, expiresAt } = await models.sessions.open(newSession, new Date(clock()));
  browser.setToken(token, expiresAt);
}
