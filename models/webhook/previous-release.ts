/** What the previous release reads and this one does not, so that processes of both serve at once; a release later, it goes. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { audiences, type DestinationRecord } from './schema.ts';

type Owner = Pick<DestinationRecord, 'userId' | 'audience'>;

interface SubscriberRecord extends Owner {
  _id: string;
  types: string[];
  /** Grows with each change of any subscriber, in the order of the transactions. */
  change: number;
}

/** Has processes of the previous release store all events of an owner whose destinations were changed. */
export async function subscribeInPreviousRelease(connection: Connection, { userId, audience }: Owner) {
  const subscribers = connection.collection<SubscriberRecord>('webhook_subscribers');
  const counters: mongo.Collection<{ _id: string; value: number }> = connection.collection('webhook_state');
  const _id = `${audience}:${userId}`;
  if (await subscribers.findOne({ _id, types: '*' })) return;
  await connection.transaction(async (session) => {
    const options = { upsert: true, returnDocument: 'after', session } as const;
    const counter = await counters.findOneAndUpdate({ _id: 'changes' }, { $inc: { value: 1 } }, options);
    const subscriber = { userId, audience, types: ['*'], change: counter?.value ?? 0 };
    await subscribers.updateOne({ _id }, { $set: subscriber }, { upsert: true, session });
  });
}

/** Of a user who is deleted. */
export async function forgetInPreviousRelease(
  connection: Connection,
  userId: number,
  session: ClientSession,
) {
  const ids = audiences.map((audience) => `${audience}:${userId}`);
  const subscribers = connection.collection<SubscriberRecord>('webhook_subscribers');
  await subscribers.deleteMany({ _id: { $in: ids } }, { session });
}
