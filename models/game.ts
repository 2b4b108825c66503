/** The catalog: games on offer with their plans, in the order of their titles. */
import { type Connection, Schema } from 'mongoose';
import { gather } from './gather.ts';

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

/** How long a process may show the catalog as it was before somebody else's import. */
const keptMs = 1000;

export class Games {
  readonly #model;
  readonly #readActive = gather((asks: null[]) => this.#readActiveTogether(asks));
  #kept: { games: readonly GameRecord[]; readAt: number } | null = null;

  constructor(connection: Connection) {
    this.#model = connection.model('Game', gameSchema, 'games');
  }

  /** The games on offer. The same list is handed to all for a second: present it, never change it. */
  async listActive(): Promise<readonly GameRecord[]> {
    const isFresh = this.#kept && performance.now() - this.#kept.readAt < keptMs;
    return isFresh && this.#kept ? this.#kept.games : this.#readActive(null);
  }

  async findActive(slug: string): Promise<GameRecord | null> {
    const games = await this.listActive();
    return games.find(({ _id }) => _id === slug) ?? null;
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
    this.#kept = null;
    return { added: upsertedCount, replaced: matchedCount };
  }

  async #readActiveTogether(asks: null[]): Promise<(readonly GameRecord[])[]> {
    const readAt = performance.now();
    const games = Object.freeze(await this.#model.find({ isActive: true }).sort({ title: 1 }).lean());
    this.#kept = { games, readAt };
    return asks.map(() => games);
  }
}
