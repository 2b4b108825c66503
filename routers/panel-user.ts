/** Finds a user of the provisioning panel for a user that the host provisions without a panel user id. */
import type { UserRecord } from '../models/user.ts';
import type { Context } from './context.ts';

/**
 * The stored id, or one that is found at the panel now and stored. Only users with an external id are looked up.
 * @throws upstreamFailed when the panel fails
 */
export async function findPanelUserId(
  { models, panel, requestId }: Pick<Context, 'models' | 'panel' | 'requestId'>,
  { _id, externalId, email, panelUserId }: UserRecord,
): Promise<number | null> {
  if (panelUserId !== null || externalId == null) return panelUserId;
  const found = await panel.findUserId({ externalId, email }, requestId);
  if (found !== null) await models.users.linkPanelUser(_id, found);
  return found;
}
