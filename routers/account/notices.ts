/** The kinds of notices by mail that the user wants. */
import { z } from 'zod';
import { type NoticeKind, noticeKinds } from '../../models/outbox/event-types.ts';
import { NoInput } from '../schemas/common.ts';
import { writeOnce } from '../support/write-once.ts';
import { router, sessionProcedure } from '../trpc.ts';

export const noticeSentences: Record<NoticeKind, string> = {
  ticket_answered: 'Support has answered one of your tickets.',
  ticket_closed: 'Support has closed one of your tickets.',
  key_expiring: 'One of your API keys expires soon.',
  webhook_disabled: 'One of your webhooks was turned off.',
  sign_in_link: 'You request a sign-in link, also for a forgotten password, or your host invites you.',
};

const NoticeSettings = z.object({
  kinds: z.array(z.object({ kind: z.enum(noticeKinds), sentence: z.string(), is_wanted: z.boolean() })),
});

export const accountNoticesRouter = router({
  get: sessionProcedure
    .input(NoInput)
    .output(NoticeSettings)
    .query(async ({ ctx: { models, caller } }) => {
      const user = await models.users.find(caller.userId);
      return presentNotices(user?.noticesOff ?? []);
    }),

  change: sessionProcedure
    .input(
      z.strictObject({
        kinds: z
          .array(z.enum(noticeKinds))
          .max(noticeKinds.length)
          .describe('The kinds that the user wants; the others are turned off.'),
      }),
    )
    .output(NoticeSettings)
    .mutation(({ ctx, input: { kinds } }) => {
      const off = noticeKinds.filter((kind) => !kinds.includes(kind));
      return writeOnce(ctx, async (transaction) => {
        await ctx.models.users.changeNotices(ctx.caller.userId, { on: kinds, off }, transaction);
        return presentNotices(off);
      });
    }),
});

const presentNotices = (off: readonly NoticeKind[]) => ({
  kinds: noticeKinds.map((kind) => ({
    kind,
    sentence: noticeSentences[kind],
    is_wanted: !off.includes(kind),
  })),
});
