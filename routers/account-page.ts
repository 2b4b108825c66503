/**
 * The account page's operations, which take a session and no key. Separate from `appRouter`, whose type is public and
 * names only what a key can call.
 */
import { accountAppsRouter } from './account-apps.ts';
import { accountKeysRouter } from './account-keys.ts';
import { accountSessionsRouter } from './account-sessions.ts';
import { accountSupportRouter, accountTicketsRouter } from './account-tickets.ts';
import { sessionRouter } from './session.ts';
import { router } from './trpc.ts';

export const accountPageRouter = router({
  session: sessionRouter,
  keys: accountKeysRouter,
  apps: accountAppsRouter,
  sessions: accountSessionsRouter,
  conversations: accountTicketsRouter,
  support: accountSupportRouter,
});

export type AccountPageRouter = typeof accountPageRouter;
