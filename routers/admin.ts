/** Announcements as administrators write them. */
import { z } from 'zod';
import {
  AdminAnnouncement,
  AnnouncementCreateRequest,
  presentAdminAnnouncement,
} from './shapes/announcement.ts';
import { Nothing } from './shapes/nothing.ts';
import { endpoint, router } from './trpc.ts';

export const adminRouter = router({
  listAnnouncements: endpoint({
    scope: 'admin:announcements',
    status: 200,
    openapi: {
      method: 'GET',
      path: '/admin/announcements',
      tags: ['Admin'],
      summary: 'List all announcements',
      description: 'Lists all announcements, drafts too, newest first.',
    },
  })
    .input(Nothing)
    .output(z.object({ announcements: z.array(AdminAnnouncement) }))
    .query(async ({ ctx }) => {
      const announcements = await ctx.models.announcements.listAll();
      return { announcements: announcements.map(presentAdminAnnouncement) };
    }),

  createAnnouncement: endpoint({
    scope: 'admin:announcements',
    status: 201,
    openapi: {
      method: 'POST',
      path: '/admin/announcements',
      tags: ['Admin'],
      summary: 'Create an announcement',
      description: 'Creates a draft, or publishes at once when status is published.',
    },
    refusals: { bad_request: 'A field is missing, empty, too long or unknown.' },
  })
    .input(AnnouncementCreateRequest)
    .output(z.object({ announcement: AdminAnnouncement }))
    .mutation(async ({ ctx, input: { show_in_ribbon, ...announcement } }) => {
      const created = await ctx.models.announcements.add(
        { ...announcement, showInRibbon: show_in_ribbon, writeId: ctx.writeId },
        new Date(ctx.clock()),
      );
      return { announcement: presentAdminAnnouncement(created) };
    }),
});
