/** Games and their plans (contract, section 2). */
import { z } from 'zod';
import type { GameRecord } from '../../models/game.ts';
import { keepFrozen } from '../keep-frozen.ts';
import { pathName } from './text.ts';

const examplePlan = {
  title: 'Iron',
  subtitle: 'Our most popular choice',
  price: '9.99',
  period: 'month',
  popular: true,
  features: ['6 GB memory', '40 slots', 'Daily backups'],
  billingId: 'price_iron_monthly',
};

export const Plan = z
  .object({
    title: z.string(),
    subtitle: z.string().describe('May be empty.'),
    price: z.string().describe('For one period.'),
    period: z.string().describe('The billing period, such as month.'),
    popular: z.boolean().describe('Whether to point it out among the plans of its game.'),
    features: z.array(z.string()).describe('What it includes, a phrase each.'),
    billingId: z.string().nullable().describe("The payment provider's reference of the price."),
  })
  .meta({ title: 'Plan', examples: [examplePlan] });

export const Game = z
  .object({
    slug: z.string().describe('Names the game in paths.'),
    title: z.string(),
    description: z.string().nullable(),
    shortDesc: z.string().nullable().describe('The description in one sentence.'),
    category: z.string().nullable(),
    icon: z.string().nullable().describe('Name or address of an image.'),
    cover: z.string().nullable(),
    banner: z.string().nullable(),
    pricingBackground: z.string().nullable().describe('To be shown behind the plans.'),
    priceFrom: z.string().nullable().describe('The price of the cheapest plan.'),
    plans: z.array(Plan),
  })
  .meta({
    title: 'Game',
    examples: [
      {
        slug: 'minecraft',
        title: 'Minecraft',
        description: 'Minecraft servers, ready in a minute. Java and Bedrock, with any mod pack.',
        shortDesc: 'Java and Bedrock, with any mod pack.',
        category: 'Survival',
        icon: 'https://cdn.gamehost.example/minecraft/icon.svg',
        cover: null,
        banner: null,
        pricingBackground: null,
        priceFrom: '4.99',
        plans: [examplePlan],
      },
    ],
  });

export const GameQuery = z
  .strictObject({ slug: pathName().describe("The game's slug, as the game list shows it.") })
  .meta({ examples: [{ slug: 'minecraft' }] });

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

/** The catalog is read now and then and shown often: one reading is presented once. */
export const presentGames = keepFrozen((games: readonly GameRecord[]) =>
  Object.freeze({ games: games.map(presentGame) }),
);
