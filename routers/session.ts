/** Signing in to the account page and out again. What a failed try tells is the same for every reason. */
import { z } from 'zod';
import type { UserRecord } from '../models/user.ts';
import type { Browser, Context } from './context.ts';
import { badRequest, signInRefused } from './errors.ts';
import { Me, presentMe } from './shapes/me.ts';
import { Nothing } from './shapes/nothing.ts';
import { filledText } from './shapes/text.ts';
import { router, sessionProcedure, visitorProcedure } from './trpc.ts';

const Password = filledText(200);

/** As NIST SP 800-63B asks: long, and nothing said about what it is made of. */
const passwordLengthMin = 12;
const NewPassword = Password.refine((password) => password.length >= passwordLengthMin, {
  error: `must be at least ${passwordLengthMin} characters`,
});

export const sessionRouter = router({
  current: visitorProcedure
    .input(Nothing)
    .output(z.object({ user: Me.nullable() }))
    .query(({ ctx: { session } }) => ({ user: session && presentMe(session.user) })),

  signIn: visitorProcedure
    .input(z.strictObject({ email: filledText(320).trim().toLowerCase(), password: Password }))
    .output(z.object({ user: Me }))
    .mutation(async ({ ctx, input: { email, password } }) => {
      const user = await findByPassword(ctx, email, password);
      if (!user) throw signInRefused();
      await openSession(ctx, user);
      return { user: presentMe(user) };
    }),

  signOut: visitorProcedure
    .input(Nothing)
    .output(z.object({}))
    .mutation(async ({ ctx: { models, session, browser } }) => {
      if (session) await models.sessions.end(session.id);
      browser.dropToken();
      return {};
    }),

  changePassword: sessionProcedure
    .input(z.strictObject({ current_password: Password, new_password: NewPassword }))
    .output(z.object({}))
    .mutation(async ({ ctx, input: { current_password, new_password } }) => {
      const { email, _id } = ctx.session.user;
      if (!(await findByPassword(ctx, email, current_password)))
        throw badRequest('current_password is not your password');
      const user = await ctx.models.users.setPassword(_id, new_password);
      if (!user) throw signInRefused();
      await openSession(ctx, user);
      return {};
    }),
});

type VisitorContext = Context & { browser: Browser };

async function findByPassword(ctx: VisitorContext, email: string, password: string) {
  const attempt = { email, address: ctx.browser.address };
  await ctx.signInThrottle.count(attempt);
  const user = await ctx.models.users.findByPassword(email, password);
  if (user) await ctx.signInThrottle.forgive(attempt);
  return user;
}

/** A session of its own for each sign-in: one that was there before ends. */
async function openSession({ models, session, browser, clock }: VisitorContext, user: UserRecord) {
  if (session) await models.sessions.end(session.id);
  const { token, expiresAt } = await models.sessions.open(user, new Date(clock()));
  browser.keepToken(token, expiresAt);
}
