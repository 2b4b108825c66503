/** The account page's procedures for activity: what the user's keys and apps did. */
import { z } from 'zod';
import { listActivity, sumActivity } from '../activity.ts';
import {
  ActivityDay,
  ActivityList,
  ActivityQuery,
  ActivitySummary,
  KeyActivity,
  presentDay,
  SummaryQuery,
} from '../schemas/activity.ts';
import { router, sessionProcedure } from '../trpc.ts';

/** As the summary names a key or an app. */
const SourceId = z.string().max(2000);

export const accountActivityRouter = router({
  list: sessionProcedure
    .input(ActivityQuery)
    .output(ActivityList)
    .query(({ ctx, input }) => listActivity(ctx, { userId: ctx.session.user._id, ...input })),

  summary: sessionProcedure
    .input(SummaryQuery)
    .output(ActivitySummary.extend({ keys: z.array(KeyActivity.extend({ source: SourceId })) }))
    .query(({ ctx, input }) => sumActivity(ctx, { userId: ctx.session.user._id, dayCount: input.days })),

  days: sessionProcedure
    .input(SummaryQuery.extend({ source: SourceId }))
    .output(z.object({ days: z.array(ActivityDay) }))
    .query(async ({ ctx: { models, session, clock }, input: { source, days: dayCount } }) => {
      const span = { userId: session.user._id, source, dayCount };
      const days = await models.activityCounts.listDays(span, new Date(clock()));
      return { days: days.map(presentDay) };
    }),
});
