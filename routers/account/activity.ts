/** The activity of the user's keys and apps, on the account page. */
import { z } from 'zod';
import { listActivity, sumActivity } from '../activity.ts';
import {
  Activity,
  ActivityDay,
  ActivityList,
  ActivityQuery,
  ActivitySummary,
  KeyActivity,
  presentDay,
  SummaryQuery,
} from '../schemas/activity.ts';
import { router, sessionProcedure } from '../trpc.ts';
import { sentenceOf } from './activity-sentences.ts';

/** A key's id or an app's client_id: `source` in the summary. */
const SourceId = z.string().max(2000);

const Described = Activity.extend({
  sentence: z.string().describe('A sentence about the call, with {target} and {detail} where those belong.'),
});

export const accountActivityRouter = router({
  list: sessionProcedure
    .input(ActivityQuery)
    .output(ActivityList.extend({ activity: z.array(Described) }))
    .query(async ({ ctx, input }) => {
      const { activity, has_more } = await listActivity(ctx, { userId: ctx.caller.userId, ...input });
      return { activity: activity.map((entry) => ({ ...entry, sentence: sentenceOf(entry) })), has_more };
    }),

  summary: sessionProcedure
    .input(SummaryQuery)
    .output(ActivitySummary.extend({ keys: z.array(KeyActivity.extend({ source: SourceId })) }))
    .query(({ ctx, input }) => sumActivity(ctx, { userId: ctx.caller.userId, dayCount: input.days })),

  days: sessionProcedure
    .input(SummaryQuery.extend({ source: SourceId }))
    .output(z.object({ days: z.array(ActivityDay) }))
    .query(async ({ ctx: { models, caller, clock }, input: { source, days: dayCount } }) => {
      const span = { userId: caller.userId, source, dayCount };
      const days = await models.activityCounts.listDays(span, new Date(clock()));
      return { days: days.map(presentDay) };
    }),
});
