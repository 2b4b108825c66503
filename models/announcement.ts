/** Announcements: drafts for admins, published ones for everybody, newest first. */
import { type Connection, Schema } from 'mongoose';
import { nullIfTaken } from './null-if-taken.ts';
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
  /** By which it is known that it was asked for before. */
  writeId?: string | undefined;
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
  writeId: { type: String },
});
announcementSchema.index({ status: 1, publishedAt: -1, _id: -1 });
announcementSchema.index({ writeId: 1 }, { unique: true, sparse: true });

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
      .skip(skip) // to the page that was asked for; no further than skipMax
      .limit(pageSize)
      .lean();
  }

  /** All of them, drafts too, newest first. */
  listAll(): Promise<AnnouncementRecord[]> {
    return this.#model.find().sort({ _id: -1 }).lean().exec();
  }

  /** Adds an announcement, once for each write id; publishing sets its publication time. */
  async add({ writeId, ...announcement }: NewAnnouncement, now: Date): Promise<AnnouncementRecord> {
    const adding = this.#model.create({
      ...announcement,
      ...(writeId && { writeId }),
      _id: await this.#sequences.take('announcement'),
      publishedAt: announcement.status === 'published' ? now : null,
      createdAt: now,
      updatedAt: now,
    });
    const created = await nullIfTaken('writeId', adding);
    return created ? created.toObject() : this.#getAdded(writeId);
  }

  /** One that was added before; only if the majority has it, as nobody waits for that any more. */
  #getAdded(writeId = ''): Promise<AnnouncementRecord> {
    return this.#model.findOne({ writeId }).readConcern('majority').orFail().lean().exec();
  }
}
