/** Sign-in, sign-out and password change on the account page. A failed sign-in by password never reveals its reason. */
import { z } from 'zod';
import type { UserRecord } from '../models/user.ts';
import { badRequest, linkRefused, notFound, passwordsOff, signInRefused } from './errors.ts';
import { openSession, type VisitorContext } from './open-session.ts';
import type { Attempt } from './ports.ts';
import { filledText, NoInput } from './schemas/common.ts';
import { Me, presentMe } from './schemas/me.ts';
import {
  guessableMessage,
  isGuessable,
  NewPassword,
  Password,
  passwordLengthMin,
} from './schemas/password.ts';
import { userOf } from './single-sign-on.ts';
import { router, sessionProcedure, visitorProcedure } from './trpc.ts';

const Settings = z.object({
  password_length_min: z.int(),
  password_sign_in: z.boolean().describe('Whether users may sign in with a password.'),
  single_sign_on: z.string().nullable().describe('The name on the button; null where there is none.'),
  connected_apps: z.boolean().describe('Whether apps may sign users in.'),
});

const callbackPath = '/account/callback';

export const sessionRouter = router({
  current: visitorProcedure
    .input(NoInput)
    .output(z.object({ user: Me.nullable(), has_password: z.boolean(), settings: Settings }))
    .query(({ ctx: { session, singleSignOn, hasPasswordSignIn, hasApps } }) => ({
      user: session && presentMe(session.user),
      has_password: session !== null && session.user.passwordHash !== null,
      settings: {
        password_length_min: passwordLengthMin,
        password_sign_in: hasPasswordSignIn,
        single_sign_on: singleSignOn?.name ?? null,
        connected_apps: hasApps,
      },
    })),

  signIn: visitorProcedure
    .input(z.strictObject({ email: filledText(320).trim().toLowerCase(), password: Password }))
    .output(z.object({ user: Me }))
    .mutation(async ({ ctx, input: { email, password } }) => {
      const { models, browser, accountLimits } = ctx;
      if (!ctx.hasPasswordSignIn) throw passwordsOff();
      // Before the first query, so that a flood of sign-ins costs the database nothing.
      accountLimits.requireHashingCapacity();
      const user = await models.users.findByEmail(email);
      browser.auditAs(user?._id ?? null);
      const attempt = accountLimits.signIn({ email, address: browser.address });
      const isRight = await verifyPassword(ctx, { user, password, attempt });
      if (!user || !isRight) throw signInRefused();
      await openSession(ctx, { user });
      return { user: presentMe(user) };
    }),

  signInByLink: visitorProcedure
    .input(z.strictObject({ token: filledText(100) }))
    .output(z.object({ user: Me }))
    .mutation(async ({ ctx, input: { token } }) => {
      const { models, browser, clock } = ctx;
      const { userId, refusal } = await models.signInLinks.use(token, new Date(clock()));
      browser.auditAs(userId);
      const user = userId === null ? null : await models.users.find(userId);
      if (refusal || !user) throw linkRefused(refusal ?? 'unknown');
      await openSession(ctx, { user });
      return { user: presentMe(user) };
    }),

  startSingleSignOn: visitorProcedure
    .input(NoInput)
    .output(z.object({ url: z.string().describe('Where to send the browser.') }))
    .mutation(async ({ ctx: { singleSignOn, browser } }) => {
      if (!singleSignOn) throw notFound('Identity provider');
      const { url, flow } = await singleSignOn.start(browser.origin + callbackPath);
      browser.setFlow(flow);
      return { url };
    }),

  finishSingleSignOn: visitorProcedure
    .input(z.strictObject({ query: filledText(6000).describe("The callback address's query.") }))
    .output(z.object({ user: Me }))
    .mutation(async ({ ctx, input: { query } }) => {
      const { singleSignOn, browser } = ctx;
      if (!singleSignOn) throw notFound('Identity provider');
      browser.auditAs(null);
      browser.clearFlow();
      const callbackUrl = new URL(callbackPath, browser.origin);
      callbackUrl.search = query;
      const identity = await singleSignOn.finish(callbackUrl, browser.flow);
      const user = await userOf({ ...ctx, singleSignOn }, identity);
      await openSession(ctx, { user, isSingleSignOn: true });
      return { user: presentMe(user) };
    }),

  signOut: visitorProcedure
    .input(NoInput)
    .output(z.object({ next_url: z.string().nullable().describe('Where the session at the provider ends.') }))
    .mutation(async ({ ctx: { models, session, browser, singleSignOn } }) => {
      if (session) await models.sessions.end(session.id);
      browser.clearToken();
      if (!session?.isSingleSignOn || !singleSignOn) return { next_url: null };
      // The session here has ended in any case.
      return { next_url: await singleSignOn.signOutUrl(`${browser.origin}/account`).catch(() => null) };
    }),

  changePassword: sessionProcedure
    .input(z.strictObject({ current_password: Password.optional(), new_password: NewPassword }))
    .output(z.object({}))
    .mutation(async ({ ctx, input: { current_password: password = '', new_password } }) => {
      const { models, accountLimits, session } = ctx;
      if (!ctx.hasPasswordSignIn) throw passwordsOff();
      if (await isGuessable(new_password)) throw badRequest(`new_password ${guessableMessage}`);
      const attempt = accountLimits.passwordChange(session.user._id);
      const hasPassword = session.user.passwordHash !== null;
      if (hasPassword && !(await verifyPassword(ctx, { user: session.user, password, attempt })))
        throw badRequest('current_password is not your password');
      const user = await accountLimits.hashPassword(() =>
        models.users.setPassword(session.user._id, new_password),
      );
      if (!user) throw signInRefused();
      await openSession(ctx, { user, isSingleSignOn: session.isSingleSignOn });
      return {};
    }),
});

interface PasswordAttempt {
  user: UserRecord | null;
  password: string;
  attempt: Attempt;
}

async function verifyPassword(
  { models, accountLimits }: VisitorContext,
  { user, password, attempt }: PasswordAttempt,
): Promise<boolean> {
  await attempt.count();
  try {
    const isRight = await accountLimits.hashPassword(() => models.users.verifyPassword(user, password));
    if (isRight) await attempt.succeed();
    return isRight;
  } catch (failure) {
    await attempt.refund();
    throw failure;
  }
}
