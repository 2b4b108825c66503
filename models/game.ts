/** The catalog: games with their plans, by title. */
import type { ClientSession, Connection } from 'mongoose';
import { createCache } from './support/cache.ts';
import { defineSchema, type RecordOf } from './support/collection.ts';
import { runTransaction } from './support/transaction.ts';

const requiredText = { type: String, required: true } as const;
/** Mongoose does not accept an empty string in a `required` field, but a plan's subtitle may be empty. */
const anyText = { type: String, default: '' } as const;
const optionalText = { type: String, default: null } as const;

const planSchema = defineSchema({
  title: requiredText,
  subtitle: anyText,
  price: requiredText,
  period: requiredText,
  popular: { type: Boolean, default: false },
  features: { type: [String], default: [] },
  billingId: optionalText,
});

export type PlanRecord = RecordOf<typeof planSchema>;

const gameSchema = defineSchema({
  /** The slug. */
  _id: requiredText,
  title: requiredText,
  description: optionalText,
  shortDesc: optionalText,
  category: optionalText,
  icon: optionalText,
  cover: optionalText,
  banner: optionalText,
  pricingBackground: optionalText,
  priceFrom: optionalText,
  plans: { type: [planSchema], default: [] },
  /** Inactive games are stored but shown to administrators only. */
  isActive: { type: Boolean, default: true },
}).index({ isActive: 1, title: 1 });

export type GameRecord = RecordOf<typeof gameSchema>;

/** How long a process may serve a stale catalog after another process changed it. */
const cachedMs = 1000;

export class Games {
  readonly #model;
  readonly #active = createCache({
    load: async (_: 'active'): Promise<readonly GameRecord[]> =>
      Object.freeze(await this.#model.find({ isActive: true }).sort({ title: 1 }).lean()),
    clock: () => performance.now(),
    entriesMax: 1,
  });

  constructor(connection: Connection) {
    this.#model = connection.model('Game', gameSchema, 'games');
  }

  listActive(): Promise<readonly GameRecord[]> {
    return this.#active.get('active', { ageMsMax: cachedMs });
  }

  async findActive(slug: string): Promise<GameRecord | null> {
    const games = await this.listActive();
    return games.find(({ _id }) => _id === slug) ?? null;
  }

  listAll(): Promise<GameRecord[]> {
    return this.#model.find().sort({ isActive: 1, title: 1 }).lean().exec();
  }

  find(slug: string): Promise<GameRecord | null> {
    return this.#model.findById(slug).lean().exec();
  }

  /** @param check throws to prevent the change; gets null when there is no game with this slug yet */
  async put(
    game: GameRecord,
    session: ClientSession,
    check?: (current: GameRecord | null) => void,
  ): Promise<{ isCreated: boolean }> {
    this.#dropAfter(session);
    check?.(await this.#model.findById(game._id).session(session).lean());
    const put = await this.#model.replaceOne({ _id: game._id }, game, { session, upsert: true });
    return { isCreated: put.upsertedCount === 1 };
  }

  async delete(slug: string, session: ClientSession): Promise<boolean> {
    this.#dropAfter(session);
    const { deletedCount } = await this.#model.deleteOne({ _id: slug }, { session });
    return deletedCount === 1;
  }

  readonly #dropActive = () => this.#active.drop('active');

  /** The listener runs once, however often the transaction is retried. */
  #dropAfter(transaction: ClientSession): void {
    transaction.off('ended', this.#dropActive).once('ended', this.#dropActive);
  }

  async import(games: readonly GameRecord[]): Promise<{ added: number; replaced: number }> {
    if (games.length === 0) return { added: 0, replaced: 0 };
    const replacements = games.map((game) => ({
      replaceOne: { filter: { _id: game._id }, replacement: game, upsert: true },
    }));
    const { upsertedCount, matchedCount } = await runTransaction(this.#model.db, (session) =>
      this.#model.bulkWrite(replacements, { session }),
    );
    this.#dropActive();
    return { added: upsertedCount, replaced: matchedCount };
  }
}
