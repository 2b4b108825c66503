/** Staff call the API's own procedures from the account page, in a session whose user has the role. */
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
import { accountUsers } from './users.ts';

const { getUser, putUser, inviteUser, listUserServers } = adminUsers;

export const accountAdminRouter = router({
  getUser,
  putUser,
  inviteUser,
  listUserServers,
  ...accountUsers,
  ...adminGames,
  ...adminAnnouncements,
  ...adminTickets,

  /** Publishes now by the server's clock, because the browser's clock may be wrong. */
  publishAnnouncement: sessionProcedure
    .meta({ adminScope: 'admin:announcements', versioned: {} })
    .input(AnnouncementQuery)
    .output(z.object({ announcement: AdminAnnouncement }))
    .mutation(({ ctx, input }) =>
      changeAnnouncement(ctx, input.announcement_id, { publishAt: new Date(ctx.clock()) }),
    ),

  /** Refuses the answer if a message has arrived that its author has not seen. */
  answerTicket: sessionProcedure
    .meta({ adminScope: 'admin:tickets' })
    .input(
      TicketAnswerRequest.extend({
        seen: integer(1).optional().describe('The number of the last message that the page shows.'),
      }),
    )
    .output(TicketReplied)
    .mutation(({ ctx, input }) => answerTicket(ctx, ctx.caller, input)),
});
