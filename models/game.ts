/** The catalog: games on offer with their plans, in the order of their titles. */
import { type Connection, Schema } from 'mongoose';

export interface PlanRecord {
  title: string;
  subtitle: string;
  price: string;
  period: string;
  popular: boolean;
  features: string[];
  billingId: string | null;
}

export interface GameRecord {
  /** The slug. */
  _id: string;
  title: string;
  description: string | null;
  shortDesc: string | null;
  category: string | null;
  icon: string | null;
  cover: string | null;
  banner: string | null;
  pricingBackground: string | null;
  priceFrom: string | null;
  plans: PlanRecord[];
  /** Whether the game is on offer; others are kept but shown to nobody. */
  isActive: boolean;
}

const requiredText = { type: String, required: true };
/** Mongoose reads `required` on a string as "not empty"; a plan's subtitle may be. */
const anyText = { type: String, default: '' };
const optionalText = { type: String, default: null };

const planSchema = new Schema<PlanRecord>(
  {
    title: requiredText,
    subtitle: anyText,
    price: requiredText,
    period: requiredText,
    popular: { type: Boolean, default: false },
    features: { type: [String], default: [] },
    billingId: optionalText,
  },
  { _id: false },
);

const gameSchema = new Schema<GameRecord>({
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
  isActive: { type: Boolean, default: true },
});
gameSchema.index({ isActive: 1, title: 1 });

export class Games {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('Game', gameSchema, 'games');
  }

  listActive(): Promise<GameRecord[]> {
    return this.#model.find({ isActive: true }).sort({ title: 1 }).lean().exec();
  }

  findActive(slug: string): Promise<GameRecord | null> {
    return this.#model.findOne({ _id: slug, isActive: true }).lean().exec();
  }

  /** Adds or replaces games by slug, all in one transaction; games not named stay as they are. */
  async import(games: readonly GameRecord[]): Promise<{ added: number; replaced: number }> {
    if (games.length === 0) return { added: 0, replaced: 0 };
    const replacements = games.map((game) => ({
      replaceOne: { filter: { _id: game._id }, replacement: game, upsert: true },
    }));
    const { upsertedCount, matchedCount } = await this.#model.db.transaction((session) =>
      this.#model.bulkWrite(replacements, { session }),
    );
    return { added: upsertedCount, replaced: matchedCount };
  }
}
