/** What the support desk of the account page asks of the stores. */
import type { Models } from '../../models/index.ts';

export async function useDesk({ staffTexts, tickets, transaction }: Models, userId: number): Promise<void> {
  await tickets.assign({ ticketId: 1, from: null, to: userId });
  await tickets.searchDetails({ assigneeId: userId, limit: 10 });
  tickets.markRead({ ticketId: 1, number: 1 });
  await tickets.countUnread(userId);
  await tickets.countWaiting();
  const text = { userId, title: '', text: 'Asks often.', createdAt: new Date() };
  await transaction(async (session) => {
    for (const id of [1, 1, 0]) await staffTexts.add({ id, userId }, text, session);
    const [answer] = await staffTexts.list(0, session);
    await staffTexts.remove(0, answer?.id ?? '', session);
  });
}
