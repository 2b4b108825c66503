/** Sign-in, sign-out and password change on the account page. A failed password sign-in never reveals its reason. */

import { z } from 'zod';
import { passwordLengthMin } from '../../models/bounds.ts';
import type { VerifiedSession } from '../../models/session.ts';
import type { UserRecord } from '../../models/user.ts';
import type { Context } from '../context.ts';
import { badRequest, notFound, passwordsOff, signInRefused } from '../errors.ts';
import { setPassword } from '../events.ts';
import type { PasswordAttempt } from '../ports.ts';
import { NoInput } from '../schemas/common.ts';
import { guessableMessage, isGuessable, NewPassword, Password } from '../schemas/password.ts';
import { filledExactText } from '../schemas/text.ts';
import { Email } from '../schemas/user.ts';
import { isStaff } from '../scopes.ts';
import { hasPasskeys } from '../second-factor/passkeys.ts';
import { runCounted } from '../support/counted.ts';
import { router, sessionProcedure, visitorProcedure } from '../trpc.ts';
import { LinkedUser, linkProcedures } from './links.ts';
import { factorProcedures, PendingSignIn, pendingSignInOf } from './show-factor.ts';
import {
  AccountUser,
  findUserOfIdentity,
  openSession,
  openSessionOrPending,
  presentUser,
  sessionOrPendingOf,
} from './sign-in.ts';

const Settings = z.object({
  password_length_min: z.int(),
  password_sign_in: z.boolean().describe('Whether users may sign in with a password.'),
  sign_in_help: z.string().nullable().describe('For users who cannot sign in: a sentence or an address.'),
  single_sign_on: z.string().nullable().describe('The name on the button; null if there is none.'),
  connected_apps: z.boolean().describe('Whether users may let apps act for them.'),
  webhooks: z.boolean().describe('Whether users may have events sent to their own addresses.'),
  console_commands: z.boolean().describe('Whether commands may be sent to consoles of servers.'),
  file_sources: z.array(z.string()).describe('The hosts from which servers may fetch files.'),
  mail: z.boolean().describe('Whether notices, and links to sign in, are sent by mail.'),
  passkeys: z.boolean().describe("Whether passkeys can be bound to the host's address."),
});

const callbackPath = '/account/callback';

export const sessionRouter = router({
  current: visitorProcedure
    .input(NoInput)
    .output(
      z.object({
        user: AccountUser.nullable(),
        asks_password: z.boolean().describe('Whether a password change requires the old password.'),
        pending: PendingSignIn.nullable().describe(
          'A sign-in that waits for a second factor; null if there is none.',
        ),
        lacks_factor: z
          .boolean()
          .describe('Whether staff must show or add a second factor before anything else.'),
        settings: Settings,
      }),
    )
    .query(async ({ ctx: { caller, ...ctx } }) => ({
      user: caller.kind === 'session' ? presentUser(caller.session.user) : null,
      asks_password: caller.kind === 'session' && needsOldPassword(caller.session),
      pending: await pendingSignInOf(caller, ctx.models),
      lacks_factor: caller.kind === 'session' && caller.lacksFactor,
      settings: {
        password_length_min: passwordLengthMin,
        password_sign_in: ctx.hasPasswordSignIn,
        sign_in_help: ctx.signInHelp,
        single_sign_on: ctx.singleSignOn?.name ?? null,
        connected_apps: ctx.hasApps,
        webhooks: ctx.offeredScopes.includes('write:webhooks'),
        console_commands: ctx.offeredScopes.includes('write:console'),
        file_sources: [...ctx.fileSources],
        mail: await ctx.models.notices.isOn(),
        passkeys: hasPasskeys(ctx),
      },
    })),

  signIn: visitorProcedure
    .input(z.strictObject({ email: Email, password: Password }))
    .output(z.object({ user: LinkedUser.shape.user }))
    .mutation(async ({ ctx, input: { email, password } }) => {
      const { models, accountLimits } = ctx;
      if (!ctx.hasPasswordSignIn) throw passwordsOff();
      // This comes before the first query, so that a flood of sign-ins costs the database nothing.
      accountLimits.requireHashingCapacity();
      const user = await models.users.findByEmail(email);
      ctx.outcome.userId = user?._id ?? null;
      const attempt = accountLimits.signIn({ email, address: ctx.address });
      const isRight = await verifyPassword(ctx, { user, password, attempt });
      if (!user || !isRight) throw signInRefused();
      await attempt.succeed();
      // If the password was set through a key's link, the session ends when that key does.
      return { user: await openSessionOrPending(ctx, { user, linkKeyId: user.passwordKeyId ?? undefined }) };
    }),

  ...linkProcedures,

  ...factorProcedures,

  startSingleSignOn: visitorProcedure
    .input(NoInput)
    .output(z.object({ url: z.string().describe('Where to send the browser.') }))
    .mutation(async ({ ctx: { singleSignOn, address, ...ctx } }) => {
      if (!singleSignOn) throw notFound('Identity provider');
      const browser = ctx.browser();
      const begun = await singleSignOn.start(browser.origin + callbackPath, address);
      browser.flows.keep(begun.state, begun.flow, begun.expiresAt);
      return { url: begun.url };
    }),

  finishSingleSignOn: visitorProcedure
    .input(z.strictObject({ query: filledExactText(6000).describe('The query of the callback address.') }))
    .output(z.object({ user: AccountUser }))
    .mutation(async ({ ctx, input: { query } }) => {
      const { singleSignOn } = ctx;
      if (!singleSignOn) throw notFound('Identity provider');
      const browser = ctx.browser();
      ctx.outcome.userId = null;
      const callbackUrl = new URL(callbackPath, browser.origin);
      callbackUrl.search = query;
      const state = callbackUrl.searchParams.get('state') ?? '';
      browser.flows.drop(state);
      const identity = await singleSignOn.finish(callbackUrl, browser.flows.read(state));
      const user = await findUserOfIdentity({ ...ctx, singleSignOn }, identity);
      const now = ctx.clock();
      const at = Math.min(identity.authenticatedAt ?? now, now);
      const proof = identity.isStrong && { providerFactorAt: new Date(at) };
      return { user: await openSession(ctx, { user, isSingleSignOn: true, ...proof }) };
    }),

  signOut: visitorProcedure
    .input(NoInput)
    .output(
      z.object({ next_url: z.string().nullable().describe('Where to end the session at the provider.') }),
    )
    .mutation(async ({ ctx: { models, caller, singleSignOn, ...ctx } }) => {
      const session = sessionOrPendingOf(caller);
      const browser = ctx.browser();
      if (session) await models.sessions.end(session.id);
      browser.clearToken();
      if (!session?.isSingleSignOn || !singleSignOn) return { next_url: null };
      // Our own session has ended, even if the provider fails.
      return { next_url: await singleSignOn.signOutUrl(`${browser.origin}/account`).catch(() => null) };
    }),

  changePassword: sessionProcedure
    .meta({ hasSecretInput: true, needsFactor: true })
    .input(z.strictObject({ current_password: Password.optional(), new_password: NewPassword }))
    .output(z.object({}))
    .mutation(async ({ ctx, input: { current_password: password = '', new_password } }) => {
      const { accountLimits } = ctx;
      const { session, userId } = ctx.caller;
      if (!ctx.hasPasswordSignIn) throw passwordsOff();
      const attempt = accountLimits.passwordChange(userId);
      if (session.user.passwordHash === null && session.isFromLink && isStaff(session.user))
        throw badRequest('Set the first password of a staff account on the command line');
      if (!needsOldPassword(session)) await attempt.count();
      else if (!(await verifyPassword(ctx, { user: session.user, password, attempt })))
        throw badRequest('current_password is not your password');
      // The attempt counts even if the change succeeds, because rating a password blocks the event loop.
      if (await isGuessable(new_password)) throw badRequest(`new_password ${guessableMessage}`);
      const user = await accountLimits.hashPassword(() => setPassword(ctx, session, new_password));
      if (!user) throw signInRefused();
      await ctx.models.signInLinks.deleteMailed([userId]);
      const { isSingleSignOn, isFromLink, linkKeyId, factorAt, providerFactorAt } = session;
      // The new session has no `mailedTo`, so that the next change requires the new password.
      const kept = { isSingleSignOn, isFromLink, linkKeyId, factorAt, providerFactorAt };
      await openSession(ctx, { user, ...kept });
      return {};
    }),
});

/** Users who have proven that they read the account's mail may have forgotten the old password. */
const needsOldPassword = ({ user, hasProvenEmail }: VerifiedSession) =>
  user.passwordHash !== null && !(hasProvenEmail && !isStaff(user));

interface PasswordCheck {
  user: UserRecord | null;
  password: string;
  attempt: PasswordAttempt;
}

/** Counts the attempt as a failure. The caller undoes that once the password and all other conditions are right. */
const verifyPassword = (
  { models, accountLimits }: Context,
  { user, password, attempt }: PasswordCheck,
): Promise<boolean> =>
  runCounted(attempt, () => accountLimits.hashPassword(() => models.users.verifyPassword(user, password)));
