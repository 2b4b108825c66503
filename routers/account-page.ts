/**
 * The account page's operations, which take a session and no key. Separate from `appRouter`, whose type is public and
 * names only what a key can call.
 */
import { accountActivityRouter } from './account-activity.ts';
import { accountAppsRouter } from './account-apps.ts';
import { accountCustomerRouter } from './account-customer.ts';
import { accountKeysRouter } from './account-keys.ts';
import { accountServersRouter } from './account-servers.ts';
import { accountSessionsRouter } from './account-sessions.ts';
import { accountSupportRouter, accountTicketsRouter } from './account-tickets.ts';
import { accountWebhooksRouter } from './account-webhooks.ts';
import { sessionRouter } from './session.ts';
import { router } from './trpc.ts';

export const accountPageRouter = router({
  session: sessionRouter,
  keys: accountKeysRouter,
  apps: accountAppsRouter,
  servers: accountServersRouter,
  activity: accountActivityRouter,
  sessions: accountSessionsRouter,
  customer: accountCustomerRouter,
  conversations: accountTicketsRouter,
  support: accountSupportRouter,
  webhooks: accountWebhooksRouter,
});

export type AccountPageRouter = typeof accountPageRouter;
