/**
 * The operations that a session can call. They are not in `appRouter`: its type is public and lists only what keys can call.
 */
import { announcementsRouter } from '../announcements.ts';
import { subscriptionsRouter } from '../subscriptions.ts';
import { router } from '../trpc.ts';
import { accountActivityRouter } from './activity.ts';
import { accountAdminRouter } from './admin.ts';
import { accountAnswersRouter } from './answers.ts';
import { accountAppsRouter } from './apps.ts';
import { accountCustomerRouter } from './customer.ts';
import { accountFactorsRouter } from './factors.ts';
import { accountKeysRouter } from './keys.ts';
import { accountNoticesRouter } from './notices.ts';
import { accountServersRouter } from './servers.ts';
import { sessionRouter } from './session.ts';
import { accountSessionsRouter } from './sessions.ts';
import { accountTicketsRouter } from './tickets.ts';
import { accountWebhooksRouter } from './webhooks.ts';

export const accountPageRouter = router({
  session: sessionRouter,
  keys: accountKeysRouter,
  apps: accountAppsRouter,
  servers: accountServersRouter,
  activity: accountActivityRouter,
  sessions: accountSessionsRouter,
  factors: accountFactorsRouter,
  notices: accountNoticesRouter,
  customer: accountCustomerRouter,
  tickets: accountTicketsRouter,
  answers: accountAnswersRouter,
  webhooks: accountWebhooksRouter,
  subscriptions: subscriptionsRouter,
  announcements: announcementsRouter,
  admin: accountAdminRouter,
});

export type AccountPageRouter = typeof accountPageRouter;
