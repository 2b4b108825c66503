/** Notices by mail: the kinds that a user may turn off, in a sentence each. */
import { z } from 'zod';
import { type NoticeKind, noticeKinds } from '../../models/webhook/event-types.ts';

export const noticeSentences: Record<NoticeKind, string> = {
  ticket_answered: 'Support has answered one of your tickets.',
  ticket_closed: 'Support has closed one of your tickets.',
  key_expiring: 'One of your API keys expires soon.',
  webhook_disabled: 'One of your webhooks was turned off.',
  sign_in_link: 'A link to sign in is asked for, also for a forgotten password, or your host invites you.',
};

export const NoticeSettings = z.object({
  kinds: z.array(z.object({ kind: z.enum(noticeKinds), sentence: z.string(), is_wanted: z.boolean() })),
});

export const NoticeChange = z.strictObject({
  kinds: z
    .array(z.enum(noticeKinds))
    .max(noticeKinds.length)
    .describe('Those that are wanted; the others are turned off.'),
});
