/** Schema version 2: tickets of earlier releases, in which only customers could write, get `lastReplyBy: 'customer'`. */
import type { Connection } from 'mongoose';

export async function setLastReplyBy(connection: Connection): Promise<void> {
  const tickets = connection.collection('tickets');
  await tickets.updateMany({ lastReplyBy: { $exists: false } }, { $set: { lastReplyBy: 'customer' } });
}
