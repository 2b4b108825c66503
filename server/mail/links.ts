/** Mails with sign-in links. A link is created when its mail is sent, so that no token is stored. */
import type { Models } from '../../models/index.ts';
import type { LinkMailType } from '../../models/outbox/event-types.ts';
import type { EventRecord } from '../../models/outbox/schema.ts';
import { dayMs, hourMs, minuteMs } from '../../models/support/durations.ts';
import type { UserRecord } from '../../models/user.ts';
import type { TypedEvent } from '../../routers/schemas/event.ts';
import { isStaff } from '../../routers/scopes.ts';
import type { Notice } from './notices.ts';

/** Contract 4: how long links work. */
const lifetimesMs: Record<LinkMailType, number> = {
  'link.requested': 15 * minuteMs,
  'user.invited': 7 * dayMs,
};

const changedAddressMs = 72 * hourMs;

const always = { kind: null, limit: null };

/** `writeLinkMail` adds the token to the button's path. */
const linkNotices: Record<LinkMailType, Notice> = {
  'link.requested': {
    ...always,
    subject: 'Your link to sign in',
    paragraphs: [
      'A link to sign in was requested for this address. It works once, for 15 minutes.',
      'If that was not you, do nothing: without this mail, no one can use the link.',
    ],
    button: { label: 'Sign in', path: '/account/link' },
  },
  'user.invited': {
    ...always,
    subject: 'Your account is ready',
    paragraphs: [
      'You have an account for your servers, tickets and API keys.',
      'This link signs you in, once, for 7 days. You can then set a password.',
    ],
    button: { label: 'Open your account', path: '/account/link' },
  },
};

export const isLinkEvent = (
  event: Pick<EventRecord, 'type'>,
): event is EventRecord & { type: LinkMailType } => event.type in linkNotices;

export interface LinkMail {
  to: string;
  userId: number;
  notice: Notice;
}

/** A mail with a new link; null if none may be sent any more. */
export async function writeLinkMail(
  models: Models,
  event: EventRecord & { type: LinkMailType },
  at: Date,
): Promise<LinkMail | null> {
  const lifetimeMs = lifetimesMs[event.type];
  const typed = event as TypedEvent; // recorded with the data of its type
  // A request older than its link's lifetime is stale: the user has requested another link since.
  const isStale = typed.type === 'link.requested' && at.getTime() - event.at.getTime() > lifetimeMs;
  if (isStale) return null;
  const user = await findUser(models, typed);
  if (!user?.isActive || isStaff(user) || user.noticesOff?.includes('sign_in_link')) return null;
  const keyId = (typed.type === 'user.invited' && typed.data.key_id) || changingKeyOf(user, at);
  if (keyId && !(await models.credentials.isLive(keyId, at))) return null;
  const made = { lifetimeMs, mailedTo: user.email, ...(keyId && { keyId }) };
  const { token } = await models.signInLinks.create(user._id, at, made);
  // A change of address deletes the user's mailed links, but not one that was created just after it.
  if ((await models.users.find(user._id))?.email !== user.email) return null;
  const { button, ...notice } = linkNotices[event.type];
  // The token is in the fragment, which browsers send to no server, so no log has it.
  const path = `${button.path}#${token}`;
  return { to: user.email, userId: user._id, notice: { ...notice, button: { ...button, path } } };
}

/**
 * The key that recently created the user, changed its address or gave it a panel user. Such a key may have named an
 * address that its holder controls, so a link to that address belongs to the key. After that time the former owner of
 * the address has had long enough to object.
 */
const changingKeyOf = ({ emailChangedBy: change }: UserRecord, at: Date): string | null =>
  change && at.getTime() - change.at.getTime() < changedAddressMs ? change.keyId : null;

function findUser({ users }: Models, event: TypedEvent): Promise<UserRecord | null> {
  if (event.type === 'link.requested') return users.findByEmail(event.data.email);
  return event.userId === null ? Promise.resolve(null) : users.find(event.userId);
}
