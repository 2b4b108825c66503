/** Announcements as every key and as administrators see them. */
import { z } from 'zod';
import {
  type AnnouncementChanges,
  type AnnouncementRecord,
  announcementStatuses,
  type PublishedPage,
} from '../../models/announcement.ts';
import { dateTime, integer } from './common.ts';
import { createPick } from './pick.ts';
import { filledLine, filledProse, line, prose } from './text.ts';

const example = {
  title: 'Maintenance on Tuesday',
  summary: 'Servers in Frankfurt restart at 04:00 UTC.',
  message: 'We move the machines in Frankfurt to a new kernel. Each server restarts once.',
  tag: 'maintenance',
};

const examplePublished = { id: 12, ...example, published_at: '2026-11-21T09:30:00.000Z' };

export const Announcement = z
  .object({
    id: z.int().describe('Identifies the announcement.'),
    title: z.string().describe('The headline.'),
    summary: z.string().describe('A short form of the message; empty if there is none.'),
    message: z.string().nullable().describe('The full text.'),
    tag: z.string().nullable().describe('A category, such as news or maintenance; null if none.'),
    published_at: dateTime.nullable().describe('The time from which customers see it; null for a draft.'),
  })
  .meta({
    title: 'Announcement',
    description: 'News from the host to all customers.',
    examples: [examplePublished],
  });

const Status = z.enum(announcementStatuses).meta({
  title: 'AnnouncementStatus',
  description: 'Customers see no drafts. Publishing sets published_at, the time from which they see it.',
});

const ShowInRibbon = z.boolean().describe('Whether front ends show it in the ribbon at the top of a page.');

export const AdminAnnouncement = Announcement.extend({
  status: Status,
  show_in_ribbon: ShowInRibbon,
  created_at: dateTime.describe('When it was created.'),
  updated_at: dateTime.describe('When it was last changed.'),
}).meta({
  title: 'AdminAnnouncement',
  description: 'An announcement with the fields that only administrators see.',
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

const fields = {
  title: filledLine(200).describe('The headline: 1 to 200 characters on one line, not only white space.'),
  message: filledProse(10_000).describe('The full text: 1 to 10,000 characters, not only white space.'),
  summary: prose(1000).describe('A short form of the message: up to 1,000 characters.'),
  tag: line(100).nullable().describe('A category, such as news or maintenance: up to 100 characters.'),
  status: Status,
  show_in_ribbon: ShowInRibbon,
};

export const AnnouncementCreateRequest = z
  .strictObject({
    ...fields,
    summary: fields.summary.default(''),
    tag: fields.tag.default(null),
    status: fields.status.default('draft'),
    show_in_ribbon: fields.show_in_ribbon.default(false),
  })
  .meta({
    title: 'AnnouncementCreateRequest',
    examples: [{ ...example, status: 'published', show_in_ribbon: true }],
  });

const announcementId = integer(1).describe('Identifies the announcement, as the list shows it.');

export const AdminAnnouncementListQuery = z
  .strictObject({
    before: integer(1)
      .describe('Only announcements with a lower id. For the next page, the last id of the previous one.')
      .optional(),
    limit: integer(1, 200).default(200).describe('How many to return.'),
  })
  .meta({ examples: [{ before: 12, limit: 200 }] });

export const AnnouncementQuery = z
  .strictObject({ announcement_id: announcementId })
  .meta({ examples: [{ announcement_id: 12 }] });

export const AnnouncementPatchRequest = z
  .strictObject(fields)
  .partial()
  .extend({
    announcement_id: announcementId,
    publish_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .describe('When to publish it; null makes it a draft. Takes precedence over status.'),
  })
  .meta({
    title: 'AnnouncementPatchRequest',
    examples: [{ announcement_id: 12, publish_at: '2026-11-24T04:00:00Z' }],
  });

export const toAnnouncementChanges = ({
  announcement_id: _,
  show_in_ribbon: showInRibbon,
  publish_at,
  ...changes
}: z.output<typeof AnnouncementPatchRequest>): AnnouncementChanges => ({
  ...changes,
  ...(showInRibbon !== undefined && { showInRibbon }),
  publishAt: publish_at == null ? publish_at : new Date(publish_at),
});

export const presentAnnouncement: (announcement: AnnouncementRecord) => z.infer<typeof Announcement> =
  createPick(Announcement);

export const presentAnnouncements = ({ announcements, page, pageSize }: PublishedPage) => ({
  announcements: announcements.map(presentAnnouncement),
  page,
  per_page: pageSize,
});

export const presentAdminAnnouncement: (
  announcement: AnnouncementRecord,
) => z.infer<typeof AdminAnnouncement> = createPick(AdminAnnouncement);
