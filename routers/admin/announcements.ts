/** Announcements for administrators: list, create, change, schedule, delete. */
import { z } from 'zod';
import { notFound } from '../errors.ts';
import { recordAnnouncements } from '../events.ts';
import {
  AdminAnnouncement,
  AdminAnnouncementListQuery,
  AnnouncementCreateRequest,
  AnnouncementPatchRequest,
  AnnouncementQuery,
  presentAdminAnnouncement,
  toAnnouncementChanges,
} from '../schemas/announcement.ts';
import { Deleted } from '../schemas/common.ts';
import { endpoint } from '../trpc.ts';

export const adminAnnouncements = {
  listAnnouncements: endpoint({
    scope: 'admin:announcements',
    status: 200,
    slot: 'large',
    openapi: {
      method: 'GET',
      path: '/admin/announcements',
      tags: ['Admin'],
      summary: 'List all announcements',
      description: 'Lists announcements, including drafts, newest first, up to 200.',
    },
    refusals: { bad_request: 'A query parameter is not valid.' },
  })
    .input(AdminAnnouncementListQuery)
    .output(z.object({ announcements: z.array(AdminAnnouncement) }))
    .query(async ({ ctx, input }) => {
      const announcements = await ctx.models.announcements.listPage(input);
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
      description:
        'Stores a draft, which no customer sees, unless status is published: then it is published at once. Deleting it undoes it.',
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
      await recordAnnouncements(ctx, [created]);
      return { announcement: presentAdminAnnouncement(created) };
    }),

  changeAnnouncement: endpoint({
    scope: 'admin:announcements',
    status: 200,
    openapi: {
      method: 'PATCH',
      path: '/admin/announcements/{announcement_id}',
      tags: ['Admin'],
      summary: 'Change an announcement',
      description:
        'Changes the given fields. `publish_at` publishes at that time, which may be in the future; null makes it a draft. To undo it, send the previous values.',
    },
    refusals: {
      bad_request: 'A field is empty, too long or unknown.',
      not_found: { when: 'There is no such announcement.', message: 'Announcement not found' },
    },
  })
    .input(AnnouncementPatchRequest)
    .output(z.object({ announcement: AdminAnnouncement }))
    .mutation(async ({ ctx, input }) => {
      const changes = toAnnouncementChanges(input);
      const now = new Date(ctx.clock());
      const changed = await ctx.models.announcements.change(input.announcement_id, changes, now);
      if (!changed) throw notFound('Announcement');
      await recordAnnouncements(ctx, [changed]);
      return { announcement: presentAdminAnnouncement(changed) };
    }),

  deleteAnnouncement: endpoint({
    scope: 'admin:announcements',
    status: 200,
    openapi: {
      method: 'DELETE',
      path: '/admin/announcements/{announcement_id}',
      tags: ['Admin'],
      summary: 'Delete an announcement',
      description: 'Permanently deletes an announcement. This cannot be undone.',
    },
    refusals: { not_found: { when: 'There is no such announcement.', message: 'Announcement not found' } },
  })
    .input(AnnouncementQuery)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      if (!(await ctx.models.announcements.delete(input.announcement_id))) throw notFound('Announcement');
      return { deleted: true as const };
    }),
};
