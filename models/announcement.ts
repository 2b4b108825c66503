/** Announcements, newest first. Administrators also see drafts; every key can read the published ones. */
import type { ClientSession, Connection } from 'mongoose';
import type { Sequences } from './sequence.ts';
import { defineSchema, type RecordOf } from './support/collection.ts';
import { matchAfter } from './support/pages.ts';
import { runTransaction } from './support/transaction.ts';

export const announcementStatuses = ['draft', 'published'] as const;
type AnnouncementStatus = (typeof announcementStatuses)[number];

const announcementSchema = defineSchema({
  _id: { type: Number, required: true },
  title: { type: String, required: true },
  summary: { type: String, default: '' },
  message: { type: String, required: true },
  tag: { type: String, default: null },
  status: { type: String, enum: announcementStatuses, required: true },
  showInRibbon: { type: Boolean, default: false },
  /** When the announcement becomes visible, possibly in the future; null for a draft. */
  publishedAt: { type: Date, default: null },
  createdAt: { type: Date, required: true },
  updatedAt: { type: Date, required: true },
}).index({ status: 1, publishedAt: -1, _id: -1 });

export type AnnouncementRecord = RecordOf<typeof announcementSchema>;

type NewAnnouncement = Omit<AnnouncementRecord, '_id' | 'publishedAt' | 'createdAt' | 'updatedAt'>;

interface PageRequest {
  page: number;
  pageSize: number;
  now: Date;
}

export interface PublishedPage {
  readonly page: number;
  readonly pageSize: number;
  readonly announcements: readonly AnnouncementRecord[];
}

type Content = Pick<AnnouncementRecord, 'title' | 'summary' | 'message' | 'tag' | 'showInRibbon'>;

/** Undefined fields keep their value. */
export type AnnouncementChanges = { [Field in keyof Content]?: Content[Field] | undefined } & {
  status?: AnnouncementStatus | undefined;
  /** Null makes the announcement a draft. */
  publishAt?: Date | null | undefined;
};

interface ChangeOptions {
  now: Date;
  /** Throws to prevent the change. */
  check?: ((current: AnnouncementRecord) => void) | undefined;
  transaction?: ClientSession;
}

const newestFirst = { _id: -1 } as const;
const byPublication = { publishedAt: 1, _id: 1 } as const;

export class Announcements {
  readonly #model;
  readonly #sequences: Sequences;

  constructor(connection: Connection, sequences: Sequences) {
    this.#model = connection.model('Announcement', announcementSchema, 'announcements');
    this.#sequences = sequences;
  }

  /** The id breaks ties, so pages are stable. No job publishes scheduled announcements: the query compares their times. */
  async listPublished({ page, pageSize, now }: PageRequest): Promise<PublishedPage> {
    const skip = (page - 1) * pageSize;
    const announcements = await this.#model
      .find({ status: 'published', publishedAt: { $lte: now } })
      .sort({ publishedAt: -1, _id: -1 })
      .skip(skip) // cheap, because only staff publish; even the highest page number fits into MongoDB's 64 bits
      .limit(pageSize)
      .lean();
    return { page, pageSize, announcements };
  }

  listPage({ before, limit }: { before?: number | undefined; limit: number }): Promise<AnnouncementRecord[]> {
    const older = before === undefined ? {} : matchAfter(newestFirst, { _id: before });
    return this.#model.find(older).sort(newestFirst).limit(limit).lean().exec();
  }

  listPublishedBetween(
    last: { at: Date; id: number },
    to: Date,
    limit: number,
  ): Promise<AnnouncementRecord[]> {
    const later = matchAfter(byPublication, { publishedAt: last.at, _id: last.id });
    return this.#model
      .find({ status: 'published', $and: [{ publishedAt: { $lte: to } }, later] })
      .sort(byPublication)
      .limit(limit)
      .lean()
      .exec();
  }

  async add(
    announcement: NewAnnouncement,
    now: Date,
    transaction?: ClientSession,
  ): Promise<AnnouncementRecord> {
    const created = new this.#model({
      ...announcement,
      _id: await this.#sequences.take('announcement'),
      publishedAt: announcement.status === 'published' ? now : null,
      createdAt: now,
      updatedAt: now,
    });
    await created.save(transaction && { session: transaction });
    return created.toObject();
  }

  find(id: number): Promise<AnnouncementRecord | null> {
    return this.#model.findById(id).lean().exec();
  }

  /** `updatedAt` changes only if another field does. */
  change(id: number, changes: AnnouncementChanges, { now, check, transaction }: ChangeOptions) {
    const change = async (session: ClientSession): Promise<AnnouncementRecord | null> => {
      const current = await this.#model.findById(id).session(session);
      if (!current) return null;
      check?.(current.toObject());
      current.set(fieldsToSet(current, changes, now));
      if (current.isModified()) current.updatedAt = now;
      await current.save({ session });
      return current.toObject();
    };
    return runTransaction(this.#model.db, change, transaction);
  }

  async delete(id: number, session: ClientSession): Promise<boolean> {
    const { deletedCount } = await this.#model.deleteOne({ _id: id }, { session });
    return deletedCount === 1;
  }
}

/** An announcement that is already published or scheduled keeps its time; `publishAt` takes precedence over `status`. */
function fieldsToSet(
  { publishedAt }: AnnouncementRecord,
  { status, publishAt, ...content }: AnnouncementChanges,
  now: Date,
) {
  const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined));
  if (publishAt) return { ...given, status: 'published', publishedAt: publishAt };
  if (publishAt === null || status === 'draft') return { ...given, status: 'draft', publishedAt: null };
  return status ? { ...given, status, publishedAt: publishedAt ?? now } : given;
}
