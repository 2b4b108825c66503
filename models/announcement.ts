/** Announcements: drafts for admins, published ones for everybody, newest first. */
import { type Connection, Schema } from 'mongoose';
import type { Sequences } from './sequence.ts';

export const announcementStatuses = ['draft', 'published'] as const;
export type AnnouncementStatus = (typeof announcementStatuses)[number];

export interface AnnouncementRecord {
  _id: number;
  title: string;
  summary: string;
  message: string;
  tag: string | null;
  status: AnnouncementStatus;
  showInRibbon: boolean;
  /** Null while it is a draft. */
  publishedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export type NewAnnouncement = Omit<AnnouncementRecord, '_id' | 'publishedAt' | 'createdAt' | 'updatedAt'>;

/** Further than any reader goes, and far below what MongoDB's skip can count. */
const skipMax = 1_000_000_000;

const announcementSchema = new Schema<AnnouncementRecord>({
  _id: { type: Number, required: true },
  title: { type: String, required: true },
  summary: { type: String, default: '' },
  message: { type: String, required: true },
  tag: { type: String, default: null },
  status: { type: String, enum: announcementStatuses, required: true },
  showInRibbon: { type: Boolean, default: false },
  publishedAt: { type: Date, default: null },
  createdAt: { type: Date, required: true },
  updatedAt: { type: Date, required: true },
});
announcementSchema.index({ status: 1, publishedAt: -1, _id: -1 });

export class Announcements {
  readonly #model;
  readonly #sequences: Sequences;

  constructor(connection: Connection, sequences: Sequences) {
    this.#model = connection.model('Announcement', announcementSchema, 'announcements');
    this.#sequences = sequences;
  }

  /** One page of the published ones, newest first; the id decides between equal times, so pages are stable. */
  async listPublished(page: number, pageSize: number): Promise<AnnouncementRecord[]> {
    const skip = (page - 1) * pageSize;
    if (skip > skipMax) return [];
    return this.#model
      .find({ status: 'published' })
      .sort({ publishedAt: -1, _id: -1 })
      .skip(skip)
      .limit(pageSize)
      .lean();
  }

  /** All of them, drafts too, newest first. */
  listAll(): Promise<AnnouncementRecord[]> {
    return this.#model.find().sort({ _id: -1 }).lean().exec();
  }

  /** Adds an announcement; publishing sets its publication time. */
  async add(announcement: NewAnnouncement, now: Date): Promise<AnnouncementRecord> {
    const created = await this.#model.create({
      ...announcement,
      _id: await this.#sequences.take('announcement'),
      publishedAt: announcement.status === 'published' ? now : null,
      createdAt: now,
      updatedAt: now,
    });
    return created.toObject();
  }
}
