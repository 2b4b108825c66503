/** Games and their plans (contract, section 2). */
import { z } from 'zod';
import type { GameRecord } from '../../models/game.ts';

export const Plan = z.object({
  title: z.string(),
  subtitle: z.string(),
  price: z.string(),
  period: z.string().describe('The billing period, such as month.'),
  popular: z.boolean(),
  features: z.array(z.string()),
  billingId: z.string().nullable().describe("The payment provider's reference of the price."),
});

export const Game = z.object({
  slug: z.string().describe('Names the game in paths.'),
  title: z.string(),
  description: z.string().nullable(),
  shortDesc: z.string().nullable(),
  category: z.string().nullable(),
  icon: z.string().nullable(),
  cover: z.string().nullable(),
  banner: z.string().nullable(),
  pricingBackground: z.string().nullable(),
  priceFrom: z.string().nullable(),
  plans: z.array(Plan),
});

export const presentGame = (game: GameRecord): z.infer<typeof Game> => ({
  slug: game._id,
  title: game.title,
  description: game.description,
  shortDesc: game.shortDesc,
  category: game.category,
  icon: game.icon,
  cover: game.cover,
  banner: game.banner,
  pricingBackground: game.pricingBackground,
  priceFrom: game.priceFrom,
  plans: game.plans,
});
