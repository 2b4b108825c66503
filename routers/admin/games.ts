/** The catalog for administrators: list, put, delete. */
import { z } from 'zod';
import { notFound } from '../errors.ts';
import { Deleted, NoInput } from '../schemas/common.ts';
import { AdminGame, GamePutRequest, GameQuery, presentAdminGame, toGameRecord } from '../schemas/game.ts';
import { endpoint } from '../trpc.ts';

export const adminGames = {
  listGames: endpoint({
    scope: 'admin:catalog',
    status: 200,
    openapi: {
      method: 'GET',
      path: '/admin/games',
      tags: ['Admin'],
      summary: 'List all games',
      description: 'Lists all games with their pricing plans, including inactive ones, by title.',
    },
  })
    .input(NoInput)
    .output(z.object({ games: z.array(AdminGame) }))
    .query(async ({ ctx }) => {
      const games = await ctx.models.games.listAll();
      return { games: games.map(presentAdminGame) };
    }),

  putGame: endpoint({
    scope: 'admin:catalog',
    status: 200,
    canCreate: true,
    openapi: {
      method: 'PUT',
      path: '/admin/games/{slug}',
      tags: ['Admin'],
      summary: 'Add or replace a game',
      description:
        'Adds a game, or replaces all of it: omitted fields are reset. To undo it, send the previous game, or delete a new one.',
    },
    refusals: { bad_request: 'The slug or a field is missing, empty, too long or unknown.' },
  })
    .input(GamePutRequest)
    .output(z.object({ game: AdminGame }))
    .mutation(async ({ ctx, input }) => {
      const game = toGameRecord(input);
      const { isCreated } = await ctx.models.games.put(game);
      if (isCreated) ctx.outcome.isCreated = true;
      return { game: presentAdminGame(game) };
    }),

  deleteGame: endpoint({
    scope: 'admin:catalog',
    status: 200,
    openapi: {
      method: 'DELETE',
      path: '/admin/games/{slug}',
      tags: ['Admin'],
      summary: 'Delete a game',
      description:
        'Permanently deletes a game. This cannot be undone. To hide a game and keep it, set `active: false` instead.',
    },
    refusals: { not_found: { when: 'There is no such game.', message: 'Game not found' } },
  })
    .input(GameQuery)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      if (!(await ctx.models.games.delete(input.slug))) throw notFound('Game');
      return { deleted: true as const };
    }),
};
