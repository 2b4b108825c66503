/** Games and their plans, and games as administrators put them. */
import { z } from 'zod';
import type { GameRecord } from '../../models/game.ts';
import { memoizeByIdentity } from '../support/memoize.ts';
import { describedLike, pathName } from './common.ts';
import { createPick } from './pick.ts';
import { filledLine, line, prose } from './text.ts';

const examplePlan = {
  title: 'Iron',
  subtitle: 'Our most popular choice',
  price: '9.99',
  period: 'month',
  popular: true,
  features: ['6 GB memory', '40 slots', 'Daily backups'],
  billingId: 'price_iron_monthly',
};

const Plan = z
  .object({
    title: z.string().describe('The name of the plan.'),
    subtitle: z.string().describe('A line below the name; may be empty.'),
    price: z.string().describe('The price for one period, as front ends show it.'),
    period: z.string().describe('The billing period, such as month.'),
    popular: z.boolean().describe('Whether to highlight it among the plans of its game.'),
    features: z.array(z.string()).describe('The features of the plan, one phrase each.'),
    billingId: z.string().nullable().describe("The payment provider's reference of the price; null if none."),
  })
  .meta({
    title: 'Plan',
    description: 'One of the prices at which a game is offered.',
    examples: [examplePlan],
  });

const exampleGame = {
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
};

export const Game = z
  .object({
    slug: z.string().describe('Identifies the game in paths.'),
    title: z.string().describe('The name of the game.'),
    description: z.string().nullable().describe('A text about the game and its servers; null if none.'),
    shortDesc: z.string().nullable().describe('The description in one sentence; null if none.'),
    category: z.string().nullable().describe('The genre under which front ends list it; null if none.'),
    icon: z.string().nullable().describe('The name or address of a small image; null if none.'),
    cover: z
      .string()
      .nullable()
      .describe('The name or address of the image in lists of games; null if none.'),
    banner: z
      .string()
      .nullable()
      .describe("The name or address of the wide image on the game's page; null if none."),
    pricingBackground: z.string().nullable().describe('The background shown behind the plans; null if none.'),
    priceFrom: z.string().nullable().describe('The price of the cheapest plan; null if none.'),
    plans: z.array(Plan).describe('Its pricing plans, in the order in which to show them.'),
  })
  .meta({
    title: 'Game',
    description: 'The game with its plans.',
    examples: [exampleGame],
  });

export const GameQuery = z
  .strictObject({ slug: pathName().describe("The game's slug, as the list of games shows it.") })
  .meta({ examples: [{ slug: 'minecraft' }] });

const pickGame = createPick(Game);

export const presentGame = (game: GameRecord): z.infer<typeof Game> => ({
  ...pickGame(game),
  slug: game._id,
});

/** The catalog is read from the database rarely and shown often, so each result is presented only once. */
export const presentGames = memoizeByIdentity((games: readonly GameRecord[]) =>
  Object.freeze({ games: games.map(presentGame) }),
);

export const AdminGame = Game.extend({
  active: z.boolean().describe('Whether it is on offer; only administrators see an inactive game.'),
}).meta({
  title: 'AdminGame',
  description: 'A game with the field that only administrators see.',
  examples: [{ ...exampleGame, active: true }],
});

const optionalLine = (maxLength: number) => line(maxLength).nullable().default(null);

const optionalProse = (maxLength: number) => prose(maxLength).nullable().default(null);

const PlanRequest = z
  .strictObject(
    describedLike(Plan, {
      title: filledLine(200),
      subtitle: line(200).default(''),
      price: filledLine(100),
      period: filledLine(100),
      popular: z.boolean().default(false),
      features: z.array(line(200)).max(100).default([]),
      billingId: optionalLine(200),
    }),
  )
  .meta({ title: 'PlanRequest', description: 'A pricing plan of the game.', examples: [examplePlan] });

/** A slug is a path segment: nothing in it needs escaping, and it is not `.` or `..`. */
const slugPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const Slug = z.string().max(100).regex(slugPattern, {
  error: 'must be 1 to 100 letters, digits, dots, underscores and hyphens, beginning with a letter or digit',
});

export const GamePutRequest = z
  .strictObject(
    describedLike(AdminGame, {
      slug: Slug,
      title: filledLine(200),
      description: optionalProse(10_000),
      shortDesc: optionalProse(1000),
      category: optionalLine(200),
      icon: optionalLine(2000),
      cover: optionalLine(2000),
      banner: optionalLine(2000),
      pricingBackground: optionalLine(2000),
      priceFrom: optionalLine(100),
      plans: z.array(PlanRequest).max(100).default([]),
      active: z.boolean().default(true),
    }),
  )
  .meta({ title: 'GamePutRequest', examples: [{ ...exampleGame, active: true }] });

export const toGameRecord = ({ slug, active, ...game }: z.output<typeof GamePutRequest>): GameRecord => ({
  ...game,
  _id: slug,
  isActive: active,
});

export const presentAdminGame = (game: GameRecord): z.infer<typeof AdminGame> => ({
  ...presentGame(game),
  active: game.isActive,
});
