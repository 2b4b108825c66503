/** What the support desk of the account page asks of the stores. */
import type { Models } from '../../models/index.ts';

export async function useDesk({ staffTexts, tickets }: Models, userId: number): Promise<void> {
  await tickets.assign({ ticketId: 1, from: null, to: userId });
  await tickets.searchDetails({ assigneeId: userId, limit: 10 });
  tickets.markRead({ ticketId: 1, number: 1 });
  await tickets.countUnread(userId);
  await tickets.countWaiting();
  const text = { id: 'text', userId, title: '', text: 'Asks often.', createdAt: new Date() };
  for (const id of [1, 1, 0]) await staffTexts.add({ id, userId }, text);
  await staffTexts.remove(0, 'text');
}
