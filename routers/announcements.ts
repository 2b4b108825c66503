/** Published announcements, for every key. */
import { z } from 'zod';
import { Announcement, presentAnnouncements } from './schemas/announcement.ts';
import { PageQuery } from './schemas/common.ts';
import { endpoint, router } from './trpc.ts';

export const announcementsRouter = router({
  list: endpoint({
    route: 'GET /announcements',
    scope: 'read:catalog',
    slot: 'large',
    tag: 'Announcements',
    pagination: { list: 'announcements', parameter: 'page', field: null, size: 'per_page', more: null },
    summary: 'List announcements',
    description:
      'Lists published announcements, newest first, a page at a time. Use it to show news, and to look for maintenance before you report a problem. A page past the end is empty.',
    tool: {
      name: 'list_announcements',
      description:
        "Lists the host's announcements, such as maintenance, newest first. Look here when several servers have a problem.",
    },
  })
    .input(PageQuery)
    .output(
      z.object({
        announcements: z.array(Announcement).describe('Newest first.'),
        page: z.int().describe('The number of this page.'),
        per_page: z.int().describe('Items per page.'),
      }),
    )
    .query(async ({ ctx, input: { page, per_page } }) => {
      const now = new Date(ctx.clock());
      return presentAnnouncements(
        await ctx.models.announcements.listPublished({ page, pageSize: per_page, now }),
      );
    }),
});
