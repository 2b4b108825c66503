/** Sign-in by a link. The user requests it by mail, or the host or the command line creates it. */
import { z } from 'zod';
import type { UserRecord } from '../../models/user.ts';
import type { Context } from '../context.ts';
import { ApiError, linksOff, mailOff } from '../errors.ts';
import { canMailLinks, recordLinkRequest } from '../mail-links.ts';
import { filledExactText } from '../schemas/text.ts';
import { Email } from '../schemas/user.ts';
import { isStaff } from '../scopes.ts';
import { runCounted } from '../support/counted.ts';
import { visitorProcedure } from '../trpc.ts';
import { AccountUser, openSession, openSessionOrPending } from './sign-in.ts';

type Link = Awaited<ReturnType<Context['models']['signInLinks']['read']>>;

const LinkToken = z.strictObject({ token: filledExactText(100) });

export const LinkedUser = z.object({
  user: AccountUser.nullable().describe('Null if the user must show a second factor first.'),
  password: z
    .enum(['missing', 'replaceable'])
    .nullable()
    .describe('Whether the user may set a password now, without the old one if there is one.'),
});

export const linkProcedures = {
  /** The response does not reveal whether the address has an account. */
  mailLink: visitorProcedure
    .input(z.strictObject({ email: Email }))
    .output(z.object({}))
    .mutation(async ({ ctx, input: { email } }) => {
      if (!(await canMailLinks(ctx))) throw mailOff();
      if (!ctx.hasPasswordSignIn) throw linksOff();
      const attempt = ctx.accountLimits.mailedLink({ email, address: ctx.address });
      await runCounted(attempt, () => recordLinkRequest(ctx, email));
      return {};
    }),

  /** Shows whose account the link opens, without using the link up. */
  readLink: visitorProcedure
    .input(LinkToken)
    .output(z.object({ email: z.string() }))
    .mutation(async ({ ctx, input: { token } }) => {
      const link = await ctx.models.signInLinks.read(token, new Date(ctx.clock()));
      const { email } = await userOfLink(ctx, link);
      return { email };
    }),

  signInByLink: visitorProcedure
    .input(LinkToken)
    .output(LinkedUser)
    .mutation(({ ctx, input: { token } }) =>
      // In one transaction: if the key that created the link is reported as leaked meanwhile, the link or the session ends.
      ctx.models.transaction(async (transaction) => {
        const link = await ctx.models.signInLinks.use(token, new Date(ctx.clock()), transaction);
        ctx.outcome.userId = link.userId;
        const user = await userOfLink(ctx, link);
        const { keyId: linkKeyId, mailedTo } = link;
        // A key that sends invitations can also change the user's address, so its links do not prove who reads the user's
        // mail.
        const proven = linkKeyId === undefined ? { mailedTo } : {};
        const signedIn = { user, isFromLink: true, linkKeyId, ...proven };
        // Only links by mail require a second factor: a key or the command line made the others.
        const open = mailedTo === undefined ? openSession : openSessionOrPending;
        const shown = await open(ctx, signedIn, transaction);
        return { user: shown, password: shown && findSettablePassword(ctx, user, link) };
      }),
    ),
};

const refusals = {
  unknown: 'This sign-in link is not valid; ask for a new one',
  used: 'This sign-in link was already used; ask for a new one',
  expired: 'This sign-in link has expired; ask for a new one',
};

const linkRefused = (reason: keyof typeof refusals) => new ApiError('unauthorized', refusals[reason]);

async function userOfLink({ models, clock }: Context, link: Link): Promise<UserRecord> {
  if (link.refusal) throw linkRefused(link.refusal);
  const { userId, keyId, mailedTo } = link;
  const user = await models.users.find(userId);
  if (!user) throw linkRefused('unknown');
  const isFromKeyOrMail = keyId !== undefined || mailedTo !== undefined;
  if (isFromKeyOrMail && isStaff(user)) throw linkRefused('unknown');
  if (mailedTo !== undefined && mailedTo !== user.email) throw linkRefused('unknown');
  if (keyId !== undefined && !(await models.credentials.isLive(keyId, new Date(clock()))))
    throw linkRefused('unknown');
  return user;
}

export function findSettablePassword(
  { hasPasswordSignIn }: Context,
  user: UserRecord,
  { mailedTo, keyId }: { mailedTo?: string | undefined; keyId?: string | undefined },
): z.infer<typeof LinkedUser>['password'] {
  if (!hasPasswordSignIn || mailedTo === undefined) return null;
  if (user.passwordHash === null) return 'missing';
  return keyId === undefined ? 'replaceable' : null;
}
