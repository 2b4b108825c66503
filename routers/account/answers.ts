/** Saved answers, which staff share at the support desk of the account page. */
import { z } from 'zod';
import { savedAnswersId } from '../../models/staff-texts.ts';
import { badRequest, notFound } from '../errors.ts';
import { NoInput } from '../schemas/common.ts';
import { filledExactText, filledLine, filledProse } from '../schemas/text.ts';
import { writeOnce } from '../support/write-once.ts';
import { router, sessionProcedure } from '../trpc.ts';

const SavedAnswer = z.object({ id: z.string(), title: z.string(), text: z.string() });
const Done = z.object({});

const staffProcedure = sessionProcedure.meta({ adminScope: 'admin:tickets' });

export const accountAnswersRouter = router({
  list: staffProcedure
    .input(NoInput)
    .output(z.object({ answers: z.array(SavedAnswer) }))
    .query(async ({ ctx }) => ({ answers: await ctx.models.staffTexts.list(savedAnswersId) })),

  save: staffProcedure
    .input(z.strictObject({ title: filledLine(100), text: filledProse(4000) }))
    .output(Done)
    .mutation(({ ctx, input }) =>
      writeOnce(ctx, async (transaction) => {
        const list = { id: savedAnswersId, userId: null };
        const answer = { ...input, userId: ctx.caller.userId, createdAt: new Date(ctx.clock()) };
        if (!(await ctx.models.staffTexts.add(list, answer, transaction)))
          throw badRequest('The list of saved answers is full; delete one first');
        return {};
      }),
    ),

  delete: staffProcedure
    .input(z.strictObject({ id: filledExactText(100) }))
    .output(Done)
    .mutation(({ ctx, input: { id } }) =>
      writeOnce(ctx, async (transaction) => {
        const isRemoved = await ctx.models.staffTexts.remove(savedAnswersId, id, transaction);
        if (!isRemoved) throw notFound('Saved answer');
        return {};
      }),
    ),
});
