/** What staff does on the account page: the API's own procedures, for a session whose user has the role. */
import { z } from 'zod';
import { adminAnnouncements, changeAnnouncement } from '../admin/announcements.ts';
import { adminGames } from '../admin/games.ts';
import { adminTickets } from '../admin/tickets.ts';
import { adminUsers } from '../admin/users.ts';
import { AdminAnnouncement, AnnouncementQuery } from '../schemas/announcement.ts';
import { integer } from '../schemas/common.ts';
import { TicketAnswerRequest } from '../tickets/conversation-schema.ts';
import { answerTicket } from '../tickets/conversations.ts';
import { TicketReplied } from '../tickets/ticket-schema.ts';
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
  ...adminTickets,

  /** Whenever it was to be published, and whatever the clock of the browser says. */
  publishAnnouncement: sessionProcedure
    .meta({ adminScope: 'admin:announcements', versioned: {} })
    .input(AnnouncementQuery)
    .output(z.object({ announcement: AdminAnnouncement }))
    .mutation(({ ctx, input }) =>
      changeAnnouncement(ctx, input.announcement_id, { publishAt: new Date(ctx.clock()) }),
    ),

  /** Refused where a message came in that its author has not seen. */
  answerTicket: sessionProcedure
    .meta({ adminScope: 'admin:tickets' })
    .input(
      TicketAnswerRequest.extend({
        seen: integer(1).optional().describe('The number of the last message that is shown.'),
      }),
    )
    .output(TicketReplied)
    .mutation(({ ctx, input }) => answerTicket(ctx, ctx.caller, input)),
});
