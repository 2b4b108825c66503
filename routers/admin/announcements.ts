/** Announcements for administrators, including drafts. */
import { z } from 'zod';
import type { AnnouncementChanges, AnnouncementRecord } from '../../models/announcement.ts';
import type { Context, Transaction } from '../context.ts';
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
import { createVersionCheck } from '../support/precondition.ts';
import { writeOnce } from '../support/write-once.ts';
import { endpoint } from '../trpc.ts';

export const adminAnnouncements = {
  listAnnouncements: endpoint({
    route: 'GET /admin/announcements',
    scope: 'admin:announcements',
    slot: 'large',
    tag: 'Admin',
    pagination: { list: 'announcements', parameter: 'before', field: 'id', size: 'limit', more: null },
    summary: 'List all announcements',
    description:
      'Lists all announcements, including drafts, newest first, up to 200 at a time. Use it to manage them, or to find one to change; customers get only the published ones.',
    refusals: { bad_request: 'A query parameter is not valid.' },
  })
    .input(AdminAnnouncementListQuery)
    .output(z.object({ announcements: z.array(AdminAnnouncement).describe('Newest first.') }))
    .query(async ({ ctx, input }) => {
      const announcements = await ctx.models.announcements.listPage(input);
      return { announcements: announcements.map(presentAdminAnnouncement) };
    }),

  getAnnouncement: endpoint({
    route: 'GET /admin/announcements/{announcement_id}',
    scope: 'admin:announcements',
    versioned: {},
    tag: 'Admin',
    summary: 'Get any announcement',
    description:
      "Shows any announcement, even a draft, with its ETag. Use it before a change: sent as `If-Match`, the ETag prevents overwriting someone else's change.",
    refusals: { missing: ['Announcement'] },
  })
    .input(AnnouncementQuery)
    .output(z.object({ announcement: AdminAnnouncement }))
    .query(async ({ ctx, input }) => {
      const announcement = await ctx.models.announcements.find(input.announcement_id);
      if (!announcement) throw notFound('Announcement');
      return { announcement: presentAdminAnnouncement(announcement) };
    }),

  createAnnouncement: endpoint({
    route: 'POST /admin/announcements',
    undo: 'call',
    scope: 'admin:announcements',
    status: 201,
    versioned: {},
    tag: 'Admin',
    summary: 'Create an announcement',
    description:
      'Creates a draft, which no customer sees, or publishes it at once if `status` is `published`. Use it to tell all customers about news or maintenance. To undo it, delete the announcement.',
    refusals: { bad_request: 'A field is missing, empty, too long or unknown.' },
  })
    .input(AnnouncementCreateRequest)
    .output(z.object({ announcement: AdminAnnouncement }))
    .mutation(({ ctx, input: { show_in_ribbon, ...announcement } }) => {
      const wanted = { ...announcement, showInRibbon: show_in_ribbon };
      return writeAnnouncement(ctx, (transaction) =>
        ctx.models.announcements.add(wanted, new Date(ctx.clock()), transaction),
      );
    }),

  changeAnnouncement: endpoint({
    route: 'PATCH /admin/announcements/{announcement_id}',
    undo: 'call',
    scope: 'admin:announcements',
    versioned: {},
    tag: 'Admin',
    summary: 'Change an announcement',
    description:
      'Updates the given fields of an announcement. Use it to correct a text, to publish, or to schedule: `publish_at` publishes at that time, which may be in the future; null makes it a draft. With `If-Match`, it changes only the version that you read. To undo it, send the previous values.',
    refusals: {
      bad_request: 'A field is empty, too long or unknown.',
      missing: ['Announcement'],
    },
  })
    .input(AnnouncementPatchRequest)
    .output(z.object({ announcement: AdminAnnouncement }))
    .mutation(({ ctx, input }) =>
      changeAnnouncement(ctx, input.announcement_id, toAnnouncementChanges(input)),
    ),

  deleteAnnouncement: endpoint({
    route: 'DELETE /admin/announcements/{announcement_id}',
    undo: 'none',
    scope: 'admin:announcements',
    tag: 'Admin',
    summary: 'Delete an announcement',
    description:
      'Deletes an announcement, which customers then no longer see. Use it for one that should not have been published; to hide one, make it a draft instead.',
    refusals: { missing: ['Announcement'] },
  })
    .input(AnnouncementQuery)
    .output(Deleted)
    .mutation(({ ctx, input }) =>
      writeOnce(ctx, async (transaction) => {
        const isDeleted = await ctx.models.announcements.delete(input.announcement_id, transaction);
        if (!isDeleted) throw notFound('Announcement');
        return { deleted: true as const };
      }),
    ),
};

export const changeAnnouncement = (ctx: Context, id: number, changes: AnnouncementChanges) =>
  writeAnnouncement(ctx, (transaction) => {
    const rules = {
      now: new Date(ctx.clock()),
      check: createVersionCheck(ctx, presentAdminAnnouncement),
      transaction,
    };
    return ctx.models.announcements.change(id, changes, rules);
  });

function writeAnnouncement(
  ctx: Context,
  write: (transaction: Transaction) => Promise<AnnouncementRecord | null>,
) {
  return writeOnce(ctx, async (transaction) => {
    const announcement = await write(transaction);
    if (!announcement) throw notFound('Announcement');
    await recordAnnouncements(ctx, [announcement], transaction);
    return { announcement: presentAdminAnnouncement(announcement) };
  });
}
