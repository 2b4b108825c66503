/** Answers that the staff saves and shares at the support desk of the account page. */
import { z } from 'zod';
import { savedAnswersId } from '../../models/staff-texts.ts';
import { badRequest, notFound } from '../errors.ts';
import { NoInput } from '../schemas/common.ts';
import { SavedAnswer, SavedAnswerPath, SavedAnswerRequest } from '../schemas/desk.ts';
import { router, sessionProcedure } from '../trpc.ts';
import { newStaffText, requireStaff } from './staff.ts';

const Done = z.object({});

export const accountAnswersRouter = router({
  list: sessionProcedure
    .input(NoInput)
    .output(z.object({ answers: z.array(SavedAnswer) }))
    .query(async ({ ctx }) => {
      requireStaff(ctx);
      return { answers: await ctx.models.staffTexts.list(savedAnswersId) };
    }),

  save: sessionProcedure
    .input(SavedAnswerRequest)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      requireStaff(ctx);
      const list = { id: savedAnswersId, userId: null };
      if (!(await ctx.models.staffTexts.add(list, newStaffText(ctx, input))))
        throw badRequest('There are as many saved answers as there can be; delete one first');
      return {};
    }),

  delete: sessionProcedure
    .input(SavedAnswerPath)
    .output(Done)
    .mutation(async ({ ctx, input: { id } }) => {
      requireStaff(ctx);
      if (!(await ctx.models.staffTexts.remove(savedAnswersId, id))) throw notFound('Saved answer');
      return {};
    }),
});
