/** The account page's procedures for notices by mail: which kinds the user wants. */
import { noticeKinds } from '../../models/webhook/event-types.ts';
import type { SessionContext } from '../context.ts';
import { NoInput } from '../schemas/common.ts';
import { NoticeChange, NoticeSettings, noticeSentences } from '../schemas/notice.ts';
import { router, sessionProcedure } from '../trpc.ts';

export const accountNoticesRouter = router({
  get: sessionProcedure
    .input(NoInput)
    .output(NoticeSettings)
    .query(({ ctx }) => present(ctx)),

  change: sessionProcedure
    .input(NoticeChange)
    .output(NoticeSettings)
    .mutation(async ({ ctx, input: { kinds } }) => {
      const off = noticeKinds.filter((kind) => !kinds.includes(kind));
      await ctx.models.notices.change(ctx.caller.userId, { on: kinds, off });
      return present(ctx);
    }),
});

async function present({ models, caller }: SessionContext) {
  const user = await models.users.find(caller.userId);
  const isOff = (kind: (typeof noticeKinds)[number]) => user?.noticesOff?.includes(kind) ?? false;
  return {
    kinds: noticeKinds.map((kind) => ({ kind, sentence: noticeSentences[kind], is_wanted: !isOff(kind) })),
  };
}
