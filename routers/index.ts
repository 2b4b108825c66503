/** Every operation of the public API. The OpenAPI document and the tools keep this order. */
import { accountRouter } from './account.ts';
import { activityRouter } from './activity.ts';
import { adminRouter } from './admin/index.ts';
import { announcementsRouter } from './announcements.ts';
import { catalogRouter } from './catalog.ts';
import { credentialsRouter } from './credentials.ts';
import { keysRouter } from './keys.ts';
import { openapiRouter } from './openapi.ts';
import { serversRouter } from './servers/servers.ts';
import { subscriptionsRouter } from './subscriptions.ts';
import { ticketsRouter } from './tickets/tickets.ts';
import { router } from './trpc.ts';
import { webhooksRouter } from './webhooks/webhooks.ts';

export const appRouter = router({
  catalog: catalogRouter,
  announcements: announcementsRouter,
  account: accountRouter,
  servers: serversRouter,
  subscriptions: subscriptionsRouter,
  tickets: ticketsRouter,
  activity: activityRouter,
  webhooks: webhooksRouter,
  admin: adminRouter,
  keys: keysRouter,
  credentials: credentialsRouter,
  openapi: openapiRouter,
});

export type AppRouter = typeof appRouter;
