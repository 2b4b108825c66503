/** Texts that only the staff sees: notes on tickets, and saved answers. A list is one document, bounded in number and size. */
import type { Connection, mongo } from 'mongoose';
import { defineCollection } from './support/collection.ts';
import { retry } from './support/retry.ts';
import { isDuplicateKey } from './support/writes.ts';

interface StaffText {
  /** The write id of the request, or a random id. */
  id: string;
  /** Who wrote it. */
  userId: number;
  /** Empty for a note. */
  title: string;
  text: string;
  createdAt: Date;
}

export interface NumberedText extends StaffText {
  /** Its position in the list, counted from 1. */
  number: number;
}

interface StaffTextList {
  /** The ticket of notes; of saved answers `savedAnswersId`. */
  _id: number;
  /** The ticket's customer, whom notes are about. */
  userId: number | null;
  texts: StaffText[];
  /** UTF-8 size of all texts. */
  bytes: number;
}

/** All saved answers are one list. */
export const savedAnswersId = 0;

/** Of a list: so large that reading it with a ticket costs little. */
const staffTextLimits = { texts: 100, bytes: 128 * 1024 } as const;

export class StaffTexts {
  readonly #collection: mongo.Collection<StaffTextList>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'staff_texts');
  }

  /** In the order in which they were added. */
  async list(listId: number): Promise<NumberedText[]> {
    const found = await this.#collection.findOne({ _id: listId }, { projection: { texts: 1 } });
    return (found?.texts ?? []).map((text, index) => ({ ...text, number: index + 1 }));
  }

  /**
   * Adds a text once, however often it is tried; null where the list is full.
   * @param userId the customer whom the list is about
   */
  async add(list: { id: number; userId: number | null }, text: StaffText): Promise<NumberedText | null> {
    await retry(() => this.#push(list, text), { triesMax: 2, when: isDuplicateKey }).catch((failure) => {
      // The list exists: it is full, it has the text, or another text was its first at both moments.
      if (!isDuplicateKey(failure)) throw failure;
    });
    return (await this.list(list.id)).find(({ id }) => id === text.id) ?? null;
  }

  async #push({ id, userId }: { id: number; userId: number | null }, text: StaffText): Promise<void> {
    const bytes = Buffer.byteLength(text.text);
    const filter = {
      _id: id,
      bytes: { $lte: staffTextLimits.bytes - bytes },
      [`texts.${staffTextLimits.texts - 1}`]: { $exists: false },
      'texts.id': { $ne: text.id },
    };
    const update = { $push: { texts: text }, $inc: { bytes }, $setOnInsert: { userId } };
    await this.#collection.updateOne(filter, update, { upsert: true });
  }

  /** Removes a text; false where there is none with this id. */
  async remove(listId: number, textId: string): Promise<boolean> {
    const text = (await this.list(listId)).find(({ id }) => id === textId);
    if (!text) return false;
    const update = { $pull: { texts: { id: textId } }, $inc: { bytes: -Buffer.byteLength(text.text) } };
    const { matchedCount } = await this.#collection.updateOne({ _id: listId, 'texts.id': textId }, update);
    return matchedCount > 0;
  }
}
