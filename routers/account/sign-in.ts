/** Finds or creates the user of a sign-in, and opens the session. */
import { z } from 'zod';
import type { NewSession, VerifiedSession } from '../../models/session.ts';
import type { UserRecord } from '../../models/user.ts';
import type { Caller } from '../caller.ts';
import type { Context, Transaction } from '../context.ts';
import { accountSuspended, identityRefused } from '../errors.ts';
import type { Identity, SingleSignOn } from '../ports.ts';
import { Me, presentMe } from '../schemas/me.ts';
import { Email } from '../schemas/user.ts';
import { isStaff } from '../scopes.ts';

export function sessionOrPendingOf(caller: Caller): VerifiedSession | null {
  if (caller.kind === 'session') return caller.session;
  return caller.kind === 'visitor' ? caller.pending : null;
}

/** Ends the browser's previous session, which prevents session fixation. @throws unauthorized for a suspended user */
export async function openSession(
  { models, caller, clock, outcome, ...ctx }: Context,
  signedIn: NewSession,
  transaction?: Transaction,
) {
  const { user } = signedIn;
  outcome.userId = user._id;
  if (!user.isActive) throw accountSuspended();
  const browser = ctx.browser();
  const previous = sessionOrPendingOf(caller);
  if (previous) await models.sessions.end(previous.id, transaction);
  const newSession = { ...signedIn, device: browser.device };
  const { token, expiresAt } = await models.sessions.open(newSession, new Date(clock()), transaction);
  browser.setToken(token, expiresAt);
  return presentUser(user);
}

/** Resolves to null if the user must show a second factor first. */
export async function openSessionOrPending(ctx: Context, signedIn: NewSession, transaction?: Transaction) {
  if (!signedIn.user.hasSecondFactor) return openSession(ctx, signedIn, transaction);
  await openSession(ctx, { ...signedIn, isPending: true }, transaction);
  return null;
}

export const AccountUser = Me.extend({
  support: z.boolean().describe("Whether the user is support staff, who work on all customers' tickets."),
});

export const presentUser = (user: UserRecord): z.infer<typeof AccountUser> => ({
  ...presentMe(user),
  support: user.isSupport,
});

type SignInContext = Pick<Context, 'models' | 'clock' | 'caller'> & { singleSignOn: SingleSignOn };

/**
 * Finds the user linked to this identity. If there is none, it links the user with the verified e-mail address, or creates
 * one if the provider may. Staff are linked only while they are signed in here.
 */
export async function findUserOfIdentity(ctx: SignInContext, identity: Identity): Promise<UserRecord> {
  const { issuer, subject } = identity;
  const linkedId = await ctx.models.identities.findUserId(issuer, subject);
  if (linkedId === null) return linkUser(ctx, identity);
  const user = await ctx.models.users.find(linkedId);
  if (!user) throw identityRefused('no_account');
  return user;
}

async function linkUser(ctx: SignInContext, identity: Identity): Promise<UserRecord> {
  const { models, clock } = ctx;
  if (identity.email === null) throw identityRefused('no_email');
  if (!identity.isEmailVerified) throw identityRefused('unverified_email');
  const email = Email.safeParse(identity.email).data;
  if (email === undefined) throw identityRefused('unusable_email');
  const user = (await models.users.findByEmail(email)) ?? (await createUser(ctx, { ...identity, email }));
  if (!user) throw identityRefused('no_account');
  if (isStaff(user) && !isSignedIn(ctx, user)) throw identityRefused('staff');
  const { issuer, subject } = identity;
  const isLinked = await models.identities.link({ issuer, subject, userId: user._id }, new Date(clock()));
  // A concurrent first sign-in may have made the same link; any other existing link belongs to someone else.
  if (!isLinked && (await models.identities.findUserId(issuer, subject)) !== user._id)
    throw identityRefused('linked_elsewhere');
  return user;
}

/** A session from a key's link does not count: a key that manages users could have opened it. */
const isSignedIn = ({ caller }: SignInContext, { _id }: UserRecord) =>
  caller.kind === 'session' && caller.userId === _id && caller.session.linkKeyId === undefined;

async function createUser(
  { models, clock, singleSignOn }: SignInContext,
  { email, firstName, lastName, nickname }: Identity & { email: string },
): Promise<UserRecord | null> {
  if (!singleSignOn.createsUsers) return null;
  const created = await models.users.add({ email, firstName, lastName, nickname }, new Date(clock()));
  return created ?? models.users.findByEmail(email);
}
