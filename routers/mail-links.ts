/**
 * Sign-in links by mail. Requests are stored as events in the outbox, so none is lost. A link is made when its mail is sent.
 */

import { everyCustomer } from '../models/outbox/schema.ts';
import type { UserRecord } from '../models/user.ts';
import type { Context, Transaction } from './context.ts';
import { badRequest, staffOnCommandLineOnly, userSuspended } from './errors.ts';
import type { TypedEvent } from './schemas/event.ts';
import { isStaff } from './scopes.ts';

type Deps = Pick<Context, 'models' | 'clock'>;

/** Whether the running service has mail configured. If so, every customer may get a link. */
export const canMailLinks = ({ models }: Pick<Deps, 'models'>): Promise<boolean> => models.notices.isOn();

/**
 * Does not look up the user: the outbox does so later. A request therefore makes the same writes in the same time for every
 * address, and does not reveal who has an account.
 */
export async function recordLinkRequest({ models, clock }: Deps, email: string): Promise<void> {
  const at = new Date(clock());
  const request = { type: 'link.requested', userId: everyCustomer, at, data: { email } } satisfies TypedEvent;
  await models.events.record([request]);
}

interface Invitation {
  /** The key that sends the invitation: when the key ends, the link ends too. Null if no key sends it. */
  keyId: string | null;
  transaction?: Transaction;
}

/** @throws conflict for staff, bad_request for a user who is suspended or has turned links off */
export async function inviteUser(
  { models, clock }: Deps,
  user: UserRecord,
  { keyId, transaction }: Invitation,
): Promise<void> {
  if (isStaff(user)) throw staffOnCommandLineOnly('are invited');
  if (!user.isActive) throw userSuspended();
  if (user.noticesOff?.includes('sign_in_link')) throw badRequest('The user has turned links by mail off');
  const at = new Date(clock());
  const data = { key_id: keyId };
  const invited = { type: 'user.invited', userId: user._id, at, data } satisfies TypedEvent;
  await models.transaction(async (session) => {
    await models.events.record([invited], session);
    await models.users.recordFirstInvitation(user._id, at, session);
  }, transaction);
}
