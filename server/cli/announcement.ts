/** `announcement`: add, list and publish. */
import { z } from 'zod';
import type { Models } from '../../models/index.ts';
import { recordAnnouncements } from '../../routers/events.ts';
import { AnnouncementCreateRequest, presentAdminAnnouncement } from '../../routers/schemas/announcement.ts';
import { command, list, noun } from './command.ts';
import { Flag, FutureMoment, limit, messageText, PositiveInteger } from './option.ts';
import { CommandError } from './print.ts';

const { title, summary, tag } = AnnouncementCreateRequest.shape;

export const announcement = noun('News for all customers', {
  add: command({
    summary: 'Add an announcement: a draft, hidden from customers, unless --publish is given',
    example: 'announcement add --title "Maintenance on Tuesday" --message - --publish < message.txt',
    options: (io) =>
      z.object({
        title: title.describe('<text> the title, on one line'),
        message: messageText(io).describe('<text> the whole text; - reads it from standard input'),
        summary: summary.describe('<text> a short form of the message'),
        tag: tag.describe('<word> a category, such as news or maintenance'),
        ribbon: Flag.describe('show it in the ribbon at the top of pages'),
        publish: Flag.describe('publish it at once'),
      }),
    async run(models, { ribbon, publish, ...content }) {
      const status = publish ? 'published' : 'draft';
      const added = await models.announcements.add({ ...content, status, showInRibbon: ribbon }, new Date());
      return recordAndReport(models, added);
    },
  }),
  list: list({
    summary: 'List announcements, drafts too, newest first',
    example: 'announcement list --limit 10',
    options: z.object({
      before: PositiveInteger.optional().describe('<id> only lower ids; for the next page, give the last id'),
      limit: limit(200),
    }),
    run: async (models, page) =>
      (await models.announcements.listPage(page)).map((each) => presentAdminAnnouncement(each)),
    columns: [
      'id',
      'status',
      'published_at',
      'tag',
      ['ribbon', ({ show_in_ribbon }) => show_in_ribbon],
      'title',
    ],
    empty: 'No announcements.',
  }),
  publish: command({
    summary: 'Publish an announcement now or at a time; a published one keeps its time',
    example: 'announcement publish 12 --at 2030-01-31T04:00:00Z',
    options: z.object({
      id: PositiveInteger.meta({ isArgument: true, description: 'the id of the announcement' }),
      at: FutureMoment.optional().describe('<time> when to publish it, as an ISO 8601 time or date'),
    }),
    async run(models, { id, at }) {
      const change = { status: 'published', publishAt: at } as const;
      const changed = await models.announcements.change(id, change, { now: new Date() });
      if (!changed) throw new CommandError(`there is no announcement ${id}`);
      return recordAndReport(models, changed);
    },
  }),
});

type StoredAnnouncement = Awaited<ReturnType<Models['announcements']['add']>>;

async function recordAndReport(models: Models, stored: StoredAnnouncement) {
  await recordAnnouncements({ models, clock: Date.now }, [stored]);
  const { status, published_at } = presentAdminAnnouncement(stored);
  const since = published_at === null ? '' : `, from ${published_at} on`;
  const text = `Announcement ${stored._id} is ${status === 'draft' ? 'a draft' : status}${since}.`;
  return { json: presentAdminAnnouncement(stored), text };
}
