/** Announcements as the public and as administrators see them (contract, section 2). */
import { z } from 'zod';
import { type AnnouncementRecord, announcementStatuses } from '../../models/announcement.ts';
import { dateTime } from './date-time.ts';
import { filledText, text } from './text.ts';

export const Announcement = z.object({
  id: z.int(),
  title: z.string(),
  summary: z.string().describe('A short form of the message; empty when none was written.'),
  message: z.string().nullable(),
  tag: z.string().nullable(),
  published_at: dateTime.nullable(),
});

export const AdminAnnouncement = Announcement.extend({
  status: z.enum(announcementStatuses),
  show_in_ribbon: z.boolean().describe('Whether front ends show it in the ribbon at the top of a page.'),
  created_at: dateTime,
  updated_at: dateTime,
});

export const AnnouncementCreateRequest = z.strictObject({
  title: filledText(200).describe('1 to 200 characters.'),
  message: filledText(10_000).describe('1 to 10,000 characters.'),
  summary: text(1000).default('').describe('Up to 1,000 characters.'),
  tag: text(100).nullable().default(null).describe('Up to 100 characters.'),
  status: z
    .enum(announcementStatuses)
    .default('draft')
    .describe('A draft is seen by administrators only; publishing sets published_at.'),
  show_in_ribbon: z.boolean().default(false),
});

export const presentAnnouncement = (announcement: AnnouncementRecord): z.infer<typeof Announcement> => ({
  id: announcement._id,
  title: announcement.title,
  summary: announcement.summary,
  message: announcement.message,
  tag: announcement.tag,
  published_at: announcement.publishedAt?.toISOString() ?? null,
});

export const presentAdminAnnouncement = (
  announcement: AnnouncementRecord,
): z.infer<typeof AdminAnnouncement> => ({
  ...presentAnnouncement(announcement),
  status: announcement.status,
  show_in_ribbon: announcement.showInRibbon,
  created_at: announcement.createdAt.toISOString(),
  updated_at: announcement.updatedAt.toISOString(),
});
