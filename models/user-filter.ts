/** Which users a list shows. */
import { patternsOf } from './support/fold.ts';

/** Undefined fields match all. */
export interface UserFilter {
  email?: string | undefined;
  /** Of the e-mail address, whatever its case. */
  emailPart?: string | undefined;
  /** Words, each in the e-mail address, the external id or a name, folded. */
  search?: string | undefined;
  role?: UserRole | undefined;
  isActive?: boolean | undefined;
  hasNeverSignedIn?: true | undefined;
  /** Who has never been invited either. */
  isUninvited?: true | undefined;
  hasPanelUser?: true | undefined;
  /** Users with higher ids only. */
  after: number;
  limit: number;
}

type UserRole = keyof typeof ofRole;

/** By which filter the users of a role are found. */
const ofRole = {
  admin: { isAdmin: true },
  support: { isAdmin: false, isSupport: true },
  customer: { isAdmin: false, isSupport: false },
};

/** What MongoDB finds them by. */
export function filterOf(wanted: Omit<UserFilter, 'after' | 'limit'>) {
  const { email, emailPart, search, role, isActive } = wanted;
  return {
    ...(email !== undefined && { email }),
    ...(emailPart !== undefined && { email: { $regex: patternOf(emailPart) } }),
    ...(search !== undefined && { $and: [{}, ...patternsOf(search).map(inAnyField)] }),
    ...(role && ofRole[role]),
    ...(isActive !== undefined && { isActive }),
    ...(wanted.hasNeverSignedIn && { firstSignInAt: null }),
    ...(wanted.isUninvited && { invitedAt: null }),
    ...(wanted.hasPanelUser && { panelUserId: { $ne: null } }),
  };
}

const searched = ['email', 'externalId', 'firstName', 'lastName', 'nickname'];

const inAnyField = (pattern: string) => ({
  $or: searched.map((field) => ({ [field]: { $regex: pattern } })),
});

/** Matches the text as it is; addresses are stored in lower case. */
export const patternOf = (text: string) => text.toLowerCase().replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
