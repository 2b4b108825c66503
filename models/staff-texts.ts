/** Texts that only staff sees: notes on tickets, and saved answers. Each list is one document, bounded in length and size. */
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';

const staffTextSchema = defineSchema({
  id: { type: String, required: true },
  /** The author. */
  userId: { type: Number, required: true },
  /** Empty for a note. */
  title: { type: String, required: true },
  text: { type: String, required: true },
  createdAt: { type: Date, required: true },
});

type StaffText = RecordOf<typeof staffTextSchema>;

export interface NumberedText extends StaffText {
  /** Its position in the list, counted from 1. */
  number: number;
}

const staffTextListSchema = defineSchema({
  /** For notes, the id of their ticket; otherwise `savedAnswersId`. */
  _id: { type: Number, required: true },
  /** The ticket's customer; null for saved answers. */
  userId: { type: Number, default: null },
  texts: { type: [staffTextSchema], required: true },
  /** UTF-8 size of all texts. */
  bytes: { type: Number, required: true },
});

type StaffTextList = RecordOf<typeof staffTextListSchema>;

export const savedAnswersId = 0;

/** Limits of each list, so that reading a list with its ticket costs little. */
export const staffTextLimits = { texts: 100, bytes: 128 * 1024 } as const;

const bytesOf = ({ text }: Pick<StaffText, 'text'>) => Buffer.byteLength(text);
const sumOf = (texts: readonly StaffText[]) => texts.reduce((sum, text) => sum + bytesOf(text), 0);

export class StaffTexts {
  readonly #collection: mongo.Collection<StaffTextList>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'staff_texts', staffTextListSchema);
  }

  async list(listId: number, transaction?: ClientSession): Promise<NumberedText[]> {
    const options = { projection: { texts: 1 }, ...(transaction && { session: transaction }) };
    const found = await this.#collection.findOne({ _id: listId }, options);
    return (found?.texts ?? []).map((text, index) => ({ ...text, number: index + 1 }));
  }

  /** Resolves to null when the list is full. */
  async add(
    { id, userId }: { id: number; userId: number | null },
    text: Omit<StaffText, 'id'>,
    session: ClientSession,
  ): Promise<NumberedText | null> {
    const texts = await this.list(id, session);
    const bytes = bytesOf(text);
    const isFull = texts.length >= staffTextLimits.texts || sumOf(texts) + bytes > staffTextLimits.bytes;
    if (isFull) return null;
    const added = { id: randomUUID(), ...text };
    const update = { $push: { texts: added }, $inc: { bytes }, $setOnInsert: { userId } };
    await this.#collection.updateOne({ _id: id }, update, { session, upsert: true });
    return { ...added, number: texts.length + 1 };
  }

  async remove(listId: number, textId: string, session: ClientSession): Promise<boolean> {
    const text = (await this.list(listId, session)).find(({ id }) => id === textId);
    if (!text) return false;
    const update = { $pull: { texts: { id: textId } }, $inc: { bytes: -bytesOf(text) } };
    await this.#collection.updateOne({ _id: listId }, update, { session });
    return true;
  }
}
