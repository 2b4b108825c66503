/** The active games, for every key. */
import { z } from 'zod';
import { notFound } from './errors.ts';
import { NoInput } from './schemas/common.ts';
import { Game, GameQuery, presentGame, presentGames } from './schemas/game.ts';
import { endpoint, router } from './trpc.ts';

export const catalogRouter = router({
  listGames: endpoint({
    route: 'GET /catalog/games',
    scope: 'read:catalog',
    tag: 'Catalog',
    links: { getGame: 'games.0.slug' },
    summary: 'List games',
    description:
      'Lists the games on offer with their pricing plans, by title. Use it to show what a customer can order, or to find the slug of a game.',
    tool: {
      name: 'list_games',
      description: 'Lists the games that this host offers, with their plans.',
    },
  })
    .input(NoInput)
    .output(z.object({ games: z.array(Game).describe('All games on offer.') }))
    .query(async ({ ctx }) => {
      return presentGames(await ctx.models.games.listActive());
    }),

  getGame: endpoint({
    route: 'GET /catalog/games/{slug}',
    scope: 'read:catalog',
    tag: 'Catalog',
    summary: 'Get a game',
    description:
      'Shows one game on offer with its pricing plans. Use it when you know the slug; the list of games has all slugs.',
    refusals: { missing: ['Game'], not_found: 'No active game has this slug.' },
    tool: {
      name: 'get_game',
      description: 'Shows a game with its plans, by its slug from list_games.',
    },
  })
    .input(GameQuery)
    .output(z.object({ game: Game }))
    .query(async ({ ctx, input }) => {
      const game = await ctx.models.games.findActive(input.slug);
      if (!game) throw notFound('Game');
      return { game: presentGame(game) };
    }),
});
