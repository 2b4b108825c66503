/** What the host announces to everybody with a key. */
import { z } from 'zod';
import { Announcement, presentAnnouncement } from './shapes/announcement.ts';
import { PageQuery } from './shapes/page.ts';
import { endpoint, readHints, router } from './trpc.ts';

export const announcementsRouter = router({
  list: endpoint({
    scope: 'read:catalog',
    status: 200,
    openapi: {
      method: 'GET',
      path: '/announcements',
      tags: ['Announcements'],
      summary: 'List announcements',
      description:
        'Lists published announcements, newest first, a page at a time. A page past the end is empty.',
    },
    tool: { name: 'list_announcements', title: 'List announcements', ...readHints },
  })
    .input(PageQuery)
    .output(z.object({ announcements: z.array(Announcement), page: z.int(), per_page: z.int() }))
    .query(async ({ ctx, input: { page, per_page } }) => {
      const announcements = await ctx.models.announcements.listPublished(page, per_page);
      return { announcements: announcements.map(presentAnnouncement), page, per_page };
    }),
});
