/**
 * Which user an account at the identity provider signs in: the linked one, else one with its verified e-mail address; of
 * staff only who is signed in here meanwhile.
 */
import type { UserRecord } from '../../models/user.ts';
import type { Context } from '../context.ts';
import { identityRefused } from '../errors.ts';
import type { Identity, SingleSignOn } from '../ports.ts';
import { Email } from '../schemas/user.ts';
import { isStaff } from '../scopes.ts';

type SignInContext = Pick<Context, 'models' | 'clock' | 'caller'> & { singleSignOn: SingleSignOn };

/** @throws the refusal, in words for the user */
export async function userOf(ctx: SignInContext, identity: Identity): Promise<UserRecord> {
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

/** Staff links an account in its own session, which no key that manages users has opened. */
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
