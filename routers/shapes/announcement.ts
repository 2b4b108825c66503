/** Announcements as the public and as administrators see them (contract, section 2). */
import { z } from 'zod';
import { type AnnouncementRecord, announcementStatuses } from '../../models/announcement.ts';
import { dateTime, presentMoment } from './date-time.ts';
import { filledText, text } from './text.ts';

const example = {
  title: 'Maintenance on Tuesday',
  summary: 'Servers in Frankfurt restart at 04:00 UTC.',
  message: 'We move the machines in Frankfurt to a new kernel. Each server restarts once.',
  tag: 'maintenance',
};

const examplePublished = { id: 12, ...example, published_at: '2026-11-21T09:30:00.000Z' };

export const Announcement = z
  .object({
    id: z.int(),
    title: z.string(),
    summary: z.string().describe('A short form of the message; empty when none was written.'),
    message: z.string().nullable().describe('The whole text.'),
    tag: z.string().nullable().describe('A word to sort by, such as news or maintenance.'),
    published_at: dateTime.nullable(),
  })
  .meta({ title: 'Announcement', examples: [examplePublished] });

export const AdminAnnouncement = Announcement.extend({
  status: z.enum(announcementStatuses).describe('A draft is seen by administrators only.'),
  show_in_ribbon: z.boolean().describe('Whether front ends show it in the ribbon at the top of a page.'),
  created_at: dateTime,
  updated_at: dateTime,
}).meta({
  title: 'AdminAnnouncement',
  description: 'An announcement with what only administrators see.',
  examples: [
    {
      ...examplePublished,
      status: 'published',
      show_in_ribbon: true,
      created_at: '2026-11-21T09:30:00.000Z',
      updated_at: '2026-11-21T09:30:00.000Z',
    },
  ],
});

export const AnnouncementCreateRequest = z
  .strictObject({
    title: filledText(200).describe('1 to 200 characters, not only white space.'),
    message: filledText(10_000).describe('1 to 10,000 characters, not only white space.'),
    summary: text(1000).default('').describe('Up to 1,000 characters.'),
    tag: text(100).nullable().default(null).describe('Up to 100 characters.'),
    status: z
      .enum(announcementStatuses)
      .default('draft')
      .describe('A draft is seen by administrators only; publishing sets published_at.'),
    show_in_ribbon: z
      .boolean()
      .default(false)
      .describe('Whether front ends show it in the ribbon at the top of a page.'),
  })
  .meta({
    title: 'AnnouncementCreateRequest',
    examples: [{ ...example, status: 'published', show_in_ribbon: true }],
  });

export const presentAnnouncement = (announcement: AnnouncementRecord): z.infer<typeof Announcement> => ({
  id: announcement._id,
  title: announcement.title,
  summary: announcement.summary,
  message: announcement.message,
  tag: announcement.tag,
  published_at: announcement.publishedAt && presentMoment(announcement.publishedAt),
});

export const presentAdminAnnouncement = (
  announcement: AnnouncementRecord,
): z.infer<typeof AdminAnnouncement> => ({
  ...presentAnnouncement(announcement),
  status: announcement.status,
  show_in_ribbon: announcement.showInRibbon,
  created_at: presentMoment(announcement.createdAt),
  updated_at: presentMoment(announcement.updatedAt),
});
