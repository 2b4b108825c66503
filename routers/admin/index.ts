/** Everything that administrators manage, as one router of flat names. */
import { router } from '../trpc.ts';
import { adminAnnouncements } from './announcements.ts';
import { adminGames } from './games.ts';
import { adminSubscriptions } from './subscriptions.ts';
import { adminTickets } from './tickets.ts';
import { adminUsers } from './users.ts';
import { adminWebhooks } from './webhooks.ts';

export const adminRouter = router({
  ...adminAnnouncements,
  ...adminTickets,
  ...adminUsers,
  ...adminSubscriptions,
  ...adminGames,
  ...adminWebhooks,
});
