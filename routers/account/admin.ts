/** What administrators manage on the account page: the API's own procedures, for a session whose user has the role. */
import { adminAnnouncements } from '../admin/announcements.ts';
import { adminGames } from '../admin/games.ts';
import { adminUsers } from '../admin/users.ts';
import { router } from '../trpc.ts';

const { listUsers, getUser, putUser, inviteUser, listUserServers } = adminUsers;

export const accountAdminRouter = router({
  listUsers,
  getUser,
  putUser,
  inviteUser,
  listUserServers,
  ...adminGames,
  ...adminAnnouncements,
});
