/** The user's sessions on the account page: list them, end one or all others. */
import { z } from 'zod';
import type { SessionRecord } from '../../models/session.ts';
import { notFound } from '../errors.ts';
import { dateTime, NoInput } from '../schemas/common.ts';
import { writeOnce } from '../support/write-once.ts';
import { router, sessionProcedure } from '../trpc.ts';

const OwnSession = z.object({
  id: z.string(),
  device: z.string().nullable().describe('For example "Firefox on Windows"; null if unknown.'),
  created_at: dateTime,
  last_seen_at: dateTime.describe('Accurate to the minute.'),
  is_current: z.boolean(),
});

const presentOwnSession = (session: SessionRecord, currentId: string): z.infer<typeof OwnSession> => ({
  id: session._id,
  device: session.device ?? null,
  created_at: session.createdAt.toISOString(),
  last_seen_at: session.lastSeenAt.toISOString(),
  is_current: session._id === currentId,
});

export const accountSessionsRouter = router({
  list: sessionProcedure
    .input(NoInput)
    .output(z.object({ sessions: z.array(OwnSession) }))
    .query(async ({ ctx: { models, clock, caller } }) => {
      const sessions = await models.sessions.list(caller.session.user, new Date(clock()));
      return { sessions: sessions.map((own) => presentOwnSession(own, caller.session.id)) };
    }),

  end: sessionProcedure
    .input(z.strictObject({ id: z.string().max(100) }))
    .output(z.object({}))
    .mutation(({ ctx, input: { id } }) =>
      writeOnce(ctx, async (transaction) => {
        const isEnded = await ctx.models.sessions.endOwned(ctx.caller.userId, id, transaction);
        if (!isEnded) throw notFound('Session');
        return {};
      }),
    ),

  endOthers: sessionProcedure
    .input(NoInput)
    .output(z.object({}))
    .mutation(({ ctx }) =>
      writeOnce(ctx, async (transaction) => {
        const { userId, session } = ctx.caller;
        await ctx.models.sessions.endOthers(userId, session.id, transaction);
        return {};
      }),
    ),
});
