/** The catalog for administrators, including inactive games. */
import { z } from 'zod';
import { notFound } from '../errors.ts';
import { Deleted, NoInput } from '../schemas/common.ts';
import { AdminGame, GamePutRequest, GameQuery, presentAdminGame, toGameRecord } from '../schemas/game.ts';
import { createVersionCheck } from '../support/precondition.ts';
import { writeOnce } from '../support/write-once.ts';
import { endpoint } from '../trpc.ts';

export const adminGames = {
  listGames: endpoint({
    route: 'GET /admin/games',
    scope: 'admin:catalog',
    tag: 'Admin',
    summary: 'List all games',
    description:
      'Lists all games, including inactive ones, with their pricing plans, by title. Use it to manage the catalog; customers get only the active games.',
  })
    .input(NoInput)
    .output(z.object({ games: z.array(AdminGame).describe('Sorted by title.') }))
    .query(async ({ ctx }) => {
      const games = await ctx.models.games.listAll();
      return { games: games.map(presentAdminGame) };
    }),

  getGame: endpoint({
    route: 'GET /admin/games/{slug}',
    scope: 'admin:catalog',
    versioned: {},
    tag: 'Admin',
    summary: 'Get any game',
    description:
      'Shows any game, even an inactive one, with its pricing plans and its ETag. Use it before you replace a game, because omitted fields are reset.',
    refusals: { missing: ['Game'] },
  })
    .input(GameQuery)
    .output(z.object({ game: AdminGame }))
    .query(async ({ ctx, input }) => {
      const game = await ctx.models.games.find(input.slug);
      if (!game) throw notFound('Game');
      return { game: presentAdminGame(game) };
    }),

  putGame: endpoint({
    route: 'PUT /admin/games/{slug}',
    undo: 'call',
    scope: 'admin:catalog',
    canCreate: true,
    versioned: {},
    tag: 'Admin',
    summary: 'Add or replace a game',
    description:
      'Creates a game, or replaces an existing one: omitted fields are reset. Use it to offer a game, to change its plans, or to hide it with `active: false`. With `If-Match`, it replaces only the version that you read. To undo it, send the previous game, or delete the new one.',
    refusals: { bad_request: 'The slug or a field is missing, empty, too long or unknown.' },
  })
    .input(GamePutRequest)
    .output(z.object({ game: AdminGame }))
    .mutation(({ ctx, input }) => {
      const game = toGameRecord(input);
      return writeOnce(ctx, async (transaction) => {
        const check = createVersionCheck(ctx, presentAdminGame);
        const { isCreated } = await ctx.models.games.put(game, transaction, check);
        ctx.outcome.isCreated = isCreated;
        return { game: presentAdminGame(game) };
      });
    }),

  deleteGame: endpoint({
    route: 'DELETE /admin/games/{slug}',
    undo: 'none',
    scope: 'admin:catalog',
    tag: 'Admin',
    summary: 'Delete a game',
    description:
      'Deletes a game with its pricing plans. Use it for a game that will not come back; to hide one, set `active: false` instead.',
    refusals: { missing: ['Game'] },
  })
    .input(GameQuery)
    .output(Deleted)
    .mutation(({ ctx, input }) =>
      writeOnce(ctx, async (transaction) => {
        if (!(await ctx.models.games.delete(input.slug, transaction))) throw notFound('Game');
        return { deleted: true as const };
      }),
    ),
};
