/** Sign-in, sign-out and password change on the account page. A failed sign-in by password never reveals its reason. */

import { z } from 'zod';
import { passwordLengthMin } from '../../models/bounds.ts';
import type { UserRecord } from '../../models/user.ts';
import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import {
  accountSuspended,
  badRequest,
  linkRefused,
  notFound,
  passwordsOff,
  signInRefused,
} from '../errors.ts';
import type { Attempt } from '../ports.ts';
import { NoInput } from '../schemas/common.ts';
import { Me, presentMe } from '../schemas/me.ts';
import { guessableMessage, isGuessable, NewPassword, Password } from '../schemas/password.ts';
import { filledExactText } from '../schemas/text.ts';
import { Email } from '../schemas/user.ts';
import { isStaff } from '../scopes.ts';
import { router, sessionProcedure, visitorProcedure } from '../trpc.ts';
import { userOf } from './single-sign-on.ts';

type Transaction = Parameters<Parameters<Context['models']['transaction']>[0]>[0];
type Link = Awaited<ReturnType<Context['models']['signInLinks']['read']>>;

const sessionOf = (caller: Caller) => (caller.kind === 'session' ? caller.session : null);

interface SignedIn {
  user: UserRecord;
  isSingleSignOn?: boolean;
  isFromLink?: boolean;
  linkKeyId?: string | undefined;
}

/**
 * The browser's previous session ends, which prevents session fixation.
 * @throws for a suspended user
 */
async function openSession(
  { models, caller, clock, outcome, ...ctx }: Context,
  signedIn: SignedIn,
  transaction?: Transaction,
): Promise<void> {
  const { user } = signedIn;
  outcome.userId = user._id;
  if (user.isActive === false) throw accountSuspended();
  const browser = ctx.browser();
  const previous = sessionOf(caller);
  if (previous) await models.sessions.end(previous.id);
  const newSession = { ...signedIn, device: browser.device };
  const { token, expiresAt } = await models.sessions.open(newSession, new Date(clock()), transaction);
  browser.setToken(token, expiresAt);
}

const Settings = z.object({
  password_length_min: z.int(),
  password_sign_in: z.boolean().describe('Whether users may sign in with a password.'),
  sign_in_help: z.string().nullable().describe('For users who cannot sign in: a sentence or an address.'),
  single_sign_on: z.string().nullable().describe('The name on the button; null where there is none.'),
  connected_apps: z.boolean().describe('Whether apps may sign users in.'),
  webhooks: z.boolean().describe('Whether events are sent to addresses of the user.'),
  console_commands: z.boolean().describe('Whether commands may be sent to consoles of servers.'),
});

const AccountUser = Me.extend({ support: z.boolean().describe('Whether the user works on all tickets.') });

const presentUser = (user: UserRecord): z.infer<typeof AccountUser> => ({
  ...presentMe(user),
  support: user.isSupport ?? false,
});

const callbackPath = '/account/callback';

export const sessionRouter = router({
  current: visitorProcedure
    .input(NoInput)
    .output(z.object({ user: AccountUser.nullable(), has_password: z.boolean(), settings: Settings }))
    .query(({ ctx: { caller, ...ctx } }) => ({
      user: caller.kind === 'session' ? presentUser(caller.session.user) : null,
      has_password: caller.kind === 'session' && caller.session.user.passwordHash !== null,
      settings: {
        password_length_min: passwordLengthMin,
        password_sign_in: ctx.hasPasswordSignIn,
        sign_in_help: ctx.signInHelp,
        single_sign_on: ctx.singleSignOn?.name ?? null,
        connected_apps: ctx.hasApps,
        webhooks: ctx.offeredScopes.includes('write:webhooks'),
        console_commands: ctx.offeredScopes.includes('write:console'),
      },
    })),

  signIn: visitorProcedure
    .input(z.strictObject({ email: Email, password: Password }))
    .output(z.object({ user: AccountUser }))
    .mutation(async ({ ctx, input: { email, password } }) => {
      const { models, accountLimits } = ctx;
      if (!ctx.hasPasswordSignIn) throw passwordsOff();
      // Before the first query, so that a flood of sign-ins costs the database nothing.
      accountLimits.requireHashingCapacity();
      const user = await models.users.findByEmail(email);
      ctx.outcome.userId = user?._id ?? null;
      const attempt = accountLimits.signIn({ email, address: ctx.address });
      const isRight = await verifyPassword(ctx, { user, password, attempt });
      if (!user || !isRight) throw signInRefused();
      await attempt.succeed();
      await openSession(ctx, { user });
      return { user: presentUser(user) };
    }),

  /** Whose account a link opens, without using it up. */
  readLink: visitorProcedure
    .input(z.strictObject({ token: filledExactText(100) }))
    .output(z.object({ email: z.string() }))
    .mutation(async ({ ctx, input: { token } }) => {
      const link = await ctx.models.signInLinks.read(token, new Date(ctx.clock()));
      const { email } = await userOfLink(ctx, link);
      return { email };
    }),

  signInByLink: visitorProcedure
    .input(z.strictObject({ token: filledExactText(100) }))
    .output(z.object({ user: AccountUser }))
    .mutation(({ ctx, input: { token } }) =>
      // In one transaction, so that a leak of the key that created the link finds either the link or the session.
      ctx.models.transaction(async (transaction) => {
        const link = await ctx.models.signInLinks.use(token, new Date(ctx.clock()), transaction);
        ctx.outcome.userId = link.userId;
        const user = await userOfLink(ctx, link);
        await openSession(ctx, { user, isFromLink: true, linkKeyId: link.keyId }, transaction);
        return { user: presentUser(user) };
      }),
    ),

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
    .input(z.strictObject({ query: filledExactText(6000).describe("The callback address's query.") }))
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
      const user = await userOf({ ...ctx, singleSignOn }, identity);
      await openSession(ctx, { user, isSingleSignOn: true });
      return { user: presentUser(user) };
    }),

  signOut: visitorProcedure
    .input(NoInput)
    .output(z.object({ next_url: z.string().nullable().describe('Where the session at the provider ends.') }))
    .mutation(async ({ ctx: { models, caller, singleSignOn, ...ctx } }) => {
      const session = sessionOf(caller);
      const browser = ctx.browser();
      if (session) await models.sessions.end(session.id);
      browser.clearToken();
      if (!session?.isSingleSignOn || !singleSignOn) return { next_url: null };
      // The session here has ended in any case.
      return { next_url: await singleSignOn.signOutUrl(`${browser.origin}/account`).catch(() => null) };
    }),

  changePassword: sessionProcedure
    .meta({ hasSecretInput: true })
    .input(z.strictObject({ current_password: Password.optional(), new_password: NewPassword }))
    .output(z.object({}))
    .mutation(async ({ ctx, input: { current_password: password = '', new_password } }) => {
      const { models, accountLimits } = ctx;
      const { session, userId } = ctx.caller;
      if (!ctx.hasPasswordSignIn) throw passwordsOff();
      const attempt = accountLimits.passwordChange(userId);
      const hasPassword = session.user.passwordHash !== null;
      if (!hasPassword && session.isFromLink && isStaff(session.user))
        throw badRequest("The staff's first password is set on the command line");
      if (!hasPassword) await attempt.count();
      else if (!(await verifyPassword(ctx, { user: session.user, password, attempt })))
        throw badRequest('current_password is not your password');
      // Not taken back whatever comes of it, because rating a password blocks the event loop.
      if (await isGuessable(new_password)) throw badRequest(`new_password ${guessableMessage}`);
      const user = await accountLimits.hashPassword(() =>
        models.users.setPassword(session.user, new_password),
      );
      if (!user) throw signInRefused();
      const { isSingleSignOn, isFromLink, linkKeyId } = session;
      await openSession(ctx, { user, isSingleSignOn, isFromLink, linkKeyId });
      return {};
    }),
});

/** @throws for a link that is not valid, as one of a key is whose key has ended or whose user became staff */
async function userOfLink({ models, clock }: Context, link: Link): Promise<UserRecord> {
  if (link.refusal) throw linkRefused(link.refusal);
  const { userId, keyId } = link;
  const user = await models.users.find(userId);
  if (!user) throw linkRefused('unknown');
  if (keyId === undefined) return user;
  const isLive = await models.credentials.isLive(keyId, new Date(clock()));
  if (!isLive || isStaff(user)) throw linkRefused('unknown');
  return user;
}

interface PasswordAttempt {
  user: UserRecord | null;
  password: string;
  attempt: Attempt;
}

/** Counts the attempt as a failure; its caller takes it back when the password, and all else, is right. */
async function verifyPassword(
  { models, accountLimits }: Context,
  { user, password, attempt }: PasswordAttempt,
): Promise<boolean> {
  await attempt.count();
  try {
    return await accountLimits.hashPassword(() => models.users.verifyPassword(user, password));
  } catch (failure) {
    await attempt.refund();
    throw failure;
  }
}
