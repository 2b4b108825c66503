/** An event as an audience gets it: the host's destinations are told which customer is concerned. */
import type { Audience, EventRecord } from '../../models/webhook/schema.ts';

export function dataFor({ data, user }: EventRecord, audience: Audience): Record<string, unknown> {
  if (audience === 'customer' || !user) return { ...data };
  const { id, email, externalId, nickname } = user;
  const ticket = 'ticket' in data && {
    ticket: { ...(data.ticket as object), user: { id, email, nickname } },
  };
  return { ...data, ...ticket, user: { id, email, external_id: externalId } };
}
