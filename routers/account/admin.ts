/** What administrators manage on the account page: the API's own procedures, for a session whose user has the role. */
import { z } from 'zod';
import { adminAnnouncements, changeAnnouncement } from '../admin/announcements.ts';
import { adminGames } from '../admin/games.ts';
import { adminUsers } from '../admin/users.ts';
import { AdminAnnouncement, AnnouncementQuery } from '../schemas/announcement.ts';
import { router, sessionProcedure } from '../trpc.ts';

const { listUsers, getUser, putUser, inviteUser, listUserServers } = adminUsers;

export const accountAdminRouter = router({
  listUsers,
  getUser,
  putUser,
  inviteUser,
  listUserServers,
  ...adminGames,
  ...adminAnnouncements,

  /** Whenever it was to be published, and whatever the clock of the browser says. */
  publishAnnouncement: sessionProcedure
    .meta({ adminScope: 'admin:announcements', versioned: {} })
    .input(AnnouncementQuery)
    .output(z.object({ announcement: AdminAnnouncement }))
    .mutation(({ ctx, input }) =>
      changeAnnouncement(ctx, input.announcement_id, { publishAt: new Date(ctx.clock()) }),
    ),
});
